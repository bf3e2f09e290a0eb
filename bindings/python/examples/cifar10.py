"""A convolutional network for CIFAR-10: python cifar10.py DATA, the folder of cifar-10-batches-bin. It trains in bf16 where
--amp is given, writes a checkpoint after each epoch, and continues from one with --resume."""
import argparse
import time

import facula as fa
import facula.nn as nn
import facula.nn.functional as F
from facula import transform
from facula.optim.lr_scheduler import OneCycleLR
from facula.utils.data import DataLoader, Subset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(32)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(2)
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(64 * 8 * 8, 128), nn.ReLU(inplace=True), nn.Linear(128, 10))

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.pool(F.relu(self.bn2(self.conv2(x))))
        return self.classifier(x)


def loaders(folder, batch_size, limit):
    normalize = [transform.ToTensor(), transform.Normalize((0.4914, 0.4822, 0.4465), (0.247, 0.243, 0.262))]
    augment = [transform.RandomCrop(32, padding=4), transform.RandomHorizontalFlip()]
    train = fa.data.cifar10(folder, train=True, transform=transform.Compose(augment + normalize))
    test = fa.data.cifar10(folder, train=False, transform=transform.Compose(normalize))
    if limit:
        train, test = (Subset(d, range(min(limit, len(d)))) for d in (train, test))
    return (DataLoader(train, batch_size=batch_size, shuffle=True, num_workers=2, drop_last=True),
            DataLoader(test, batch_size=500, num_workers=2))


@fa.no_grad()
def accuracy(model, loader, device):
    model.eval()
    correct = 0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        correct += (model(images).argmax(1) == labels).sum().item()
    return correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('data')
    parser.add_argument('--epochs', type=int, default=5)
    parser.add_argument('--batch-size', type=int, default=128)
    parser.add_argument('--lr', type=float, default=0.1)
    parser.add_argument('--limit', type=int, help='the number of images, for a short run')
    parser.add_argument('--amp', action='store_true')
    parser.add_argument('--checkpoint', default='cifar10.safetensors')
    parser.add_argument('--resume', action='store_true')
    args = parser.parse_args()

    fa.manual_seed(0)
    device = fa.device('cuda' if fa.cuda.is_available() else 'cpu')
    train_loader, test_loader = loaders(args.data, args.batch_size, args.limit)
    model = Net().to(device)
    optimizer = fa.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = OneCycleLR(optimizer, max_lr=args.lr, epochs=args.epochs, steps_per_epoch=len(train_loader))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    first = 0
    if args.resume:
        checkpoint = fa.load(args.checkpoint, map_location=device)
        model.load_state_dict(checkpoint['model'])
        optimizer.load_state_dict(checkpoint['optimizer'])
        scheduler.load_state_dict(checkpoint['scheduler'])
        first = checkpoint['epoch']

    for epoch in range(first, args.epochs):
        model.train()
        begin, running = time.perf_counter(), 0.0
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            with fa.autocast(device.type, dtype=fa.bfloat16, enabled=args.amp):
                loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running += loss.item()
        seconds = time.perf_counter() - begin
        print(f'epoch {epoch + 1}: loss {running / len(train_loader):.3f}, rate {scheduler.get_last_lr()[0]:.4f}, '
              f'accuracy {accuracy(model, test_loader, device):.3f}, {seconds:.1f} s')
        fa.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'scheduler': scheduler.state_dict(),
                 'epoch': epoch + 1}, args.checkpoint)


if __name__ == '__main__':
    main()
