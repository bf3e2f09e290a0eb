"""A language model of characters, with an LSTM: python characters.py [TEXT]. Without a file it learns a sentence."""
import argparse

import facula as fa
import facula.nn as nn
from facula.optim.lr_scheduler import CosineAnnealingLR

SENTENCE = 'the quick brown fox jumps over the lazy dog. ' * 40


class CharacterModel(nn.Module):
    def __init__(self, vocabulary, hidden=128, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 32)
        self.lstm = nn.LSTM(32, hidden, num_layers=layers, batch_first=True)
        self.head = nn.Linear(hidden, vocabulary)

    def forward(self, x, state=None):
        output, state = self.lstm(self.embedding(x), state)
        return self.head(output), state


def batch_of(data, batch_size, length):
    starts = fa.randint(0, len(data) - length - 1, (batch_size,))
    x = fa.stack([data[i:i + length] for i in starts])
    y = fa.stack([data[i + 1:i + length + 1] for i in starts])
    return x, y


@fa.no_grad()
def sample(model, first, count, device):
    """Numbers of characters that the model writes behind a first one."""
    model.eval()
    numbers, x, state = [first], fa.tensor([[first]], device=device), None
    for _ in range(count):
        logits, state = model(x, state)
        probabilities = fa.softmax(logits[0, -1], dim=-1)
        x = fa.multinomial(probabilities, num_samples=1).view(1, 1)
        numbers.append(x.item())
    return numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('text', nargs='?')
    parser.add_argument('--steps', type=int, default=200)
    parser.add_argument('--batch-size', type=int, default=16)
    parser.add_argument('--length', type=int, default=32)
    args = parser.parse_args()
    text = open(args.text, encoding='utf-8').read() if args.text else SENTENCE
    characters = sorted(set(text))
    number = {c: i for i, c in enumerate(characters)}

    fa.manual_seed(1)
    device = 'cuda' if fa.cuda.is_available() else 'cpu'
    data = fa.tensor([number[c] for c in text], dtype=fa.long, device=device)
    model = CharacterModel(len(characters)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = fa.optim.AdamW(model.parameters(), lr=5e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=args.steps)
    for step in range(args.steps):
        x, y = batch_of(data, args.batch_size, args.length)
        logits, _ = model(x)
        loss = criterion(logits.view(-1, len(characters)), y.view(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        scheduler.step()
        if step % 20 == 0 or step == args.steps - 1:
            print(f'step {step}: loss {loss.item():.3f}')
    print(''.join(characters[i] for i in sample(model, number['t'], 100, device)))


if __name__ == '__main__':
    main()
