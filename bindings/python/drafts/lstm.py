import facula as fa
import facula.nn as nn

text = "the quick brown fox jumps over the lazy dog. " * 20
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = fa.tensor([stoi[c] for c in text], dtype=fa.long)

class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=64, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, 16)
        self.lstm = nn.LSTM(16, hidden, num_layers=layers, batch_first=True, dropout=0.1)
        self.head = nn.Linear(hidden, vocab)
        self.hidden, self.layers = hidden, layers
    def forward(self, x, state=None):
        out, state = self.lstm(self.embed(x), state)
        return self.head(out), state
    def init_hidden(self, batch):
        return (fa.zeros(self.layers, batch, self.hidden), fa.zeros(self.layers, batch, self.hidden))

fa.manual_seed(1)
model = CharRNN(len(chars))
criterion = nn.CrossEntropyLoss()
opt = fa.optim.AdamW(model.parameters(), lr=5e-3)
sched = fa.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=120)
for step in range(120):
    idx = fa.randint(0, len(data) - 33, (16,))
    x = fa.stack([data[i:i + 32] for i in idx])
    y = fa.stack([data[i + 1:i + 33] for i in idx])
    logits, (h, c) = model(x, model.init_hidden(16))
    loss = criterion(logits.view(-1, len(chars)), y.view(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    opt.step()
    sched.step()
    h = h.detach()
    if step % 30 == 0:
        print(step, f'{loss.item():.3f}', tuple(h.shape))
model.eval()
out, state = [stoi['t']], None
with fa.no_grad():
    x = fa.tensor([[stoi['t']]])
    for _ in range(40):
        logits, state = model(x, state)
        p = fa.softmax(logits[0, -1], dim=-1)
        x = fa.multinomial(p, 1).view(1, 1)
        out.append(x.item())
print(''.join(chars[i] for i in out))
