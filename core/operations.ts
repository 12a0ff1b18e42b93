/** The operations of the service as values: what each takes, gives and refuses, for adapters that offer them. */
export {
  createAlertRule,
  listAlertRules,
  readAlertRule,
  removeAlertRule,
  updateAlertRule,
} from './signals/alerts/operations.ts'
