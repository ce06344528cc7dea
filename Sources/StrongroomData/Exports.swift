@_exported public import Foundation
@_exported public import Observation
@_exported public import SecretService
@_exported public import StoreKeyring

@_exported public import struct ObjectContext.ContextError
@_exported public import class ObjectContext.UndoManager
@_exported public import struct ObjectModel.MigrationForecast
@_exported public import struct ObjectModel.StagedMigrationForecast
@_exported public import struct ObjectQuery.TextSearch
@_exported public import struct StoreContract.QueryPlan
@_exported public import struct StoreContract.StoreError
@_exported public import class StoreContract.ValueReader
@_exported public import class StoreContract.ValueWriter
