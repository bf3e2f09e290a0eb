import facula as fa
from facula import nn
import facula.nn.functional as F
from facula.utils.data import DataLoader, TensorDataset, random_split

fa.manual_seed(0)
device = fa.device("cuda" if fa.cuda.is_available() else "cpu")
print(fa.__version__, device, fa.get_num_threads())
fa.set_num_threads(2)
train, test = fa.data.digits(train=True), fa.data.digits(train=False)
train_loader = DataLoader(train, batch_size=32, shuffle=True, num_workers=0, drop_last=True)
test_loader = DataLoader(test, batch_size=256)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.layers = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 10))

    def forward(self, x):
        return self.layers(x)


net = Net().to(device)
print(net, len(net.layers), [type(l).__name__ for l in net.layers])
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
criterion = nn.CrossEntropyLoss()
optimizer = fa.optim.Adam(net.parameters(), lr=1e-2, weight_decay=1e-5)
for epoch in range(3):
    net.train()
    running = 0.0
    for i, (x, y) in enumerate(train_loader):
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad(set_to_none=True)
        out = net(x)
        loss = criterion(out, y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        running += loss.item() * x.size(0)
    net.eval()
    correct = total = 0
    with fa.no_grad():
        for x, y in test_loader:
            _, pred = fa.max(net(x), 1)
            total += y.size(0)
            correct += (pred == y).sum().item()
    print(f'epoch {epoch + 1}: loss {running / len(train_loader.dataset):.4f}, accuracy {100 * correct / total:.1f}%')
fa.nn.Sequential(nn.Linear(3, 4)).summary()
fa.summary(net, input_size=(1, 64))
probs = F.softmax(net(x[:2]), dim=1)
print(probs.shape, probs.argmax(dim=1), f'{probs[0].max():.3f}', f'{probs.sum().item():.2f}')
print(len(TensorDataset(x, y)), [len(d) for d in random_split(TensorDataset(x, y), [0.8, 0.2])])
