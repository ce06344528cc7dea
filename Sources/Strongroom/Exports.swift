// What a program sees by `import Strongroom`. Authors of stores import `StoreContract`, authors of vaults
// `StoreKeyring`, for what only they need.
@_exported public import Foundation
@_exported public import ObjectContext
@_exported public import ObjectModel
@_exported public import ObjectQuery
@_exported public import SQLCipherStore

@_exported public import struct SecretService.SecretServiceVault
@_exported public import struct StoreContract.BatchResult
@_exported public import class StoreContract.BatchRow
@_exported public import struct StoreContract.CommitToken
@_exported public import class StoreContract.FetchProgress
@_exported public import class StoreContract.HistoryReceipt
@_exported public import class StoreContract.InMemoryStore
@_exported public import protocol StoreContract.IncrementalStore
@_exported public import struct StoreContract.ManagedObjectID
@_exported public import struct StoreContract.PersistentHistoryChange
@_exported public import struct StoreContract.PersistentHistoryChangeRequest
@_exported public import struct StoreContract.PersistentHistoryConsumer
@_exported public import struct StoreContract.PersistentHistoryLimits
@_exported public import struct StoreContract.PersistentHistoryResult
@_exported public import struct StoreContract.PersistentHistoryToken
@_exported public import struct StoreContract.PersistentHistoryTransaction
@_exported public import enum StoreContract.PersistentHistoryValue
@_exported public import struct StoreContract.PersistentStoreDescription
@_exported public import struct StoreContract.QueryPlan
@_exported public import struct StoreContract.RowColumns
@_exported public import struct StoreContract.RowCursor
@_exported public import struct StoreContract.StoreError
@_exported public import enum StoreContract.StoreMetadata
@_exported public import struct StoreContract.TransactionOrigin
@_exported public import class StoreContract.ValueReader
@_exported public import class StoreContract.ValueWriter
@_exported public import struct StoreKeyring.CredentialVault
@_exported public import class StoreKeyring.InMemoryVault
@_exported public import struct StoreKeyring.KeyFileVault
@_exported public import enum StoreKeyring.KeyInteraction
@_exported public import protocol StoreKeyring.KeyVault
@_exported public import struct StoreKeyring.KeyringError
@_exported public import struct StoreKeyring.PassphraseCost
@_exported public import struct StoreKeyring.PassphraseVault
@_exported public import protocol StoreKeyring.PasswordVault
@_exported public import class StoreKeyring.RecoveryCode
@_exported public import struct StoreKeyring.RecoveryCodeVault
@_exported public import class StoreKeyring.SecretBytes
@_exported public import struct StoreKeyring.ServerAccount
@_exported public import class StoreKeyring.StoreKey
