import os, tempfile
import facula as fa
import facula.nn as nn
import facula.nn.functional as F
import facula.optim as optim
from facula.optim.lr_scheduler import StepLR
from facula.utils.data import DataLoader, Dataset

class Digits(Dataset):
    def __init__(self, train):
        self.data = fa.data.digits(train=train)
    def __len__(self):
        return len(self.data)
    def __getitem__(self, i):
        x, y = self.data[i]
        return x.view(1, 8, 8), y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, stride=1, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.drop = nn.Dropout2d(p=0.1)
        self.fc = nn.Linear(32 * 2 * 2, 10)
    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.drop(F.max_pool2d(F.relu(self.conv2(x)), 2))
        x = fa.flatten(x, 1)
        return F.log_softmax(self.fc(x), dim=1)

model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
loader = DataLoader(Digits(True), batch_size=64, shuffle=True)
for epoch in range(2):
    model.train()
    for data, target in loader:
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, loss.item(), scheduler.get_last_lr(), optimizer.param_groups[0]['lr'])
path = os.path.join(tempfile.mkdtemp(), 'ckpt.pt')
fa.save({'epoch': epoch, 'model_state_dict': model.state_dict(), 'optimizer_state_dict': optimizer.state_dict(),
         'scheduler': scheduler.state_dict(), 'loss': loss.item()}, path)
ckpt = fa.load(path)
other = Net()
other.load_state_dict(ckpt['model_state_dict'])
opt2 = optim.SGD(other.parameters(), lr=0.1, momentum=0.9, nesterov=True)
opt2.load_state_dict(ckpt['optimizer_state_dict'])
print(ckpt['epoch'], ckpt['loss'], opt2.param_groups[0]['lr'])
fa.save(model.state_dict(), path)
print(other.load_state_dict(fa.load(path)))
model.eval(), other.eval()
x = fa.randn(4, 1, 8, 8)
assert fa.allclose(model(x), other(x))
for p in model.conv1.parameters():
    p.requires_grad = False
print([n for n, p in model.named_parameters() if p.requires_grad])
