"""Arguments of views, drawn for the shape of what is viewed: each function gives what stands behind the variable, or None."""


class Views:
    """For a class that has its random numbers in self.r."""

    def dim(self, shape):
        d = self.r.randrange(len(shape))
        return d if self.r.random() < 0.7 else d - len(shape)

    def view_unsqueeze(self, shape):
        return str(self.r.randint(-len(shape) - 1, len(shape))) if len(shape) < 5 else None

    def view_squeeze(self, shape):
        return f"dim={self.dim(shape)}" if shape and self.r.random() < 0.5 else ""

    def view_expand(self, shape):
        more = [self.r.choice([2, 3])] if len(shape) < 4 and self.r.random() < 0.5 else []
        return "s(" + ",".join(map(str, more + [self.r.choice([2, 3]) if n == 1 else -1 for n in shape])) + ")"

    def factors(self, count):
        sizes = []
        while count > 1 and len(sizes) < 3:
            f = self.r.choice([k for k in range(2, count + 1) if count % k == 0])
            sizes.append(f)
            count //= f
        return sizes + ([count] if count > 1 else []) + [1] * (self.r.random() < 0.2)

    def view_view(self, shape):
        count = 1
        for n in shape:
            count *= n
        if not count:
            return None
        sizes = self.factors(count)
        if self.r.random() < 0.2 and sizes:
            sizes[self.r.randrange(len(sizes))] = -1
        return f"s({','.join(map(str, sizes))})"

    view_reshape = view_view

    def view_select(self, shape):
        d = self.dim(shape)
        n = shape[d]
        return f"{d} {self.r.randrange(-n, n)}" if n else None

    def view_narrow(self, shape):
        d = self.dim(shape)
        start = self.r.randint(0, shape[d])
        return f"{d} {start} {self.r.randint(min(1, shape[d] - start), shape[d] - start)}"

    def view_slice(self, shape):
        d = self.dim(shape)
        n = shape[d]
        text = [str(d)]
        if self.r.random() < 0.6:
            text.append(f"start={self.r.randint(-n, n)}")
        if self.r.random() < 0.5:
            text.append(f"end={self.r.randint(-n, n + 2)}")
        if self.r.random() < 0.6:
            text.append(f"step={self.r.choice([1, 2, 2, 3, -1, -1, -2])}")
        return " ".join(text)

    def entry(self, n):
        chance = self.r.random()
        if chance < 0.25 and n:
            return str(self.r.randrange(-n, n))
        if chance < 0.5:
            return ":"
        start, end = self.r.choice(["", str(self.r.randint(-n, n))]), self.r.choice(["", str(self.r.randint(-n, n))])
        return f"{start}:{end}" + self.r.choice(["", "", ":2", ":-1", ":-2"])

    def view_get(self, shape):
        entries = [self.entry(n) for n in shape[:self.r.randint(0, len(shape))]]
        if self.r.random() < 0.3:
            entries.append("...")
        if self.r.random() < 0.2 and len(shape) < 4:
            entries.insert(self.r.randint(0, len(entries)), "None")
        return f"'{', '.join(entries)}'" if entries else None

    def view_flip(self, shape):
        return f"dim={self.dim(shape)}" if self.r.random() < 0.7 else ""

    def view_unbind(self, shape):
        return f"dim={self.dim(shape)}"

    def view_split(self, shape):
        return f"{self.r.choice([1, 2, 3])} dim={self.dim(shape)}"

    view_chunk = view_split

    def view_unfold(self, shape):
        d = self.dim(shape)
        return f"{d} {self.r.randint(1, max(shape[d], 1))} {self.r.choice([1, 1, 2])}" if len(shape) < 4 else None

    def view_transpose(self, shape):
        return f"{self.dim(shape)} {self.dim(shape)}"

    def view_permute(self, shape):
        return f"s({','.join(map(str, self.r.sample(range(len(shape)), len(shape))))})"

    def view_movedim(self, shape):
        return f"s({self.dim(shape)}) s({self.dim(shape)})"

    def view_diagonal(self, shape):
        a, b = self.r.sample(range(len(shape)), 2)
        return f"offset={self.r.randint(-1, 1)} dim1={a} dim2={b}"

    def view_rot90(self, shape):
        a, b = self.r.sample(range(len(shape)), 2)
        return f"k={self.r.randint(-1, 4)} dims={{{a},{b}}}"
