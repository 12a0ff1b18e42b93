/** The operations of the service as values: what each takes, gives and refuses, for adapters that offer them. */
export * from './applications/application-keys.ts'
export * from './applications/customer-keys.ts'
export * from './channels/operations.ts'
export * from './erasure/holds.ts'
export * from './erasure/requests.ts'
export * from './key-requests/operations.ts'
export * from './key-requests/staff.ts'
export * from './signals/alerts/operations.ts'
