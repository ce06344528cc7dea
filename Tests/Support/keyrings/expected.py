"""The cells that are not what a keyring should do, each with what comes instead and why."""

from kwallet import KWallet

DIFFERENCES = {
    ("make_silently", "kwallet"): (
        "vaultLocked",
        "The login opens the wallet and not its collection, which stays locked until a program asks for it with "
        "prompts allowed. No dialog comes then."),
    ("open_silently", "keepassxc"): (
        "vaultLocked",
        "KeePassXC asks before each process reads an item, unless that is switched off. Without prompts allowed "
        "the item counts as locked."),
}

if KWallet.daemon == "kwalletd5":
    DIFFERENCES["first_session", "kwallet"] = (
        "noDefaultCollection",
        "The daemon that made the wallet does not show it as a collection; it does from its next start on.")
