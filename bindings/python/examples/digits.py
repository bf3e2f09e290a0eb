"""An MLP that reads handwritten digits, which are part of the library: python digits.py"""
import argparse

import facula as fa
import facula.nn as nn
import facula.nn.functional as F
from facula.utils.data import DataLoader


class MLP(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.fc1 = nn.Linear(64, hidden)
        self.fc2 = nn.Linear(hidden, 10)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.fc2(self.dropout(F.relu(self.fc1(x))))


def train(model, loader, criterion, optimizer, device):
    model.train()
    total = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    return total / len(loader.dataset)


@fa.no_grad()
def accuracy(model, loader, device):
    model.eval()
    correct = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        correct += (model(x).argmax(dim=1) == y).sum().item()
    return correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=10)
    parser.add_argument('--device', default='cuda' if fa.cuda.is_available() else 'cpu')
    parser.add_argument('--save', help='a file for the weights: mlp.safetensors')
    args = parser.parse_args()
    fa.manual_seed(0)
    train_loader = DataLoader(fa.data.digits(train=True), batch_size=32, shuffle=True)
    test_loader = DataLoader(fa.data.digits(train=False), batch_size=256)
    device = fa.device(args.device)
    model = MLP().to(device)
    print(model)
    criterion = nn.CrossEntropyLoss()
    optimizer = fa.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        loss = train(model, train_loader, criterion, optimizer, device)
        print(f'epoch {epoch + 1}: loss {loss:.4f}, accuracy {100 * accuracy(model, test_loader, device):.1f}%')
    if args.save:
        fa.save(model.state_dict(), args.save)


if __name__ == '__main__':
    main()
