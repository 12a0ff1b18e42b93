import type { CustomerKeyAnswer, KeyRequestAnswer, SigningKeyAnswer } from '@countersign/client'

/** What a customer key of a type may do. */
export const typeWords: Readonly<Record<CustomerKeyAnswer['type'], string>> = {
  'primary ingest': 'Primary: sends sessions',
  secondary: 'Secondary: sends sessions',
  management: 'Management: reads what was sent',
}

/** What a request asks staff to do. */
export const actionWords: Readonly<Record<KeyRequestAnswer['action'], string>> = {
  'issue-customer-key': 'Issue a key',
  'issue-secondary-key': 'Issue a secondary key',
  'revoke-key': 'Revoke a key',
  'rotate-tenant-key': 'Rotate the encryption key of the organization',
}

/** Where a request has got to. */
export const statusWords: Readonly<Record<KeyRequestAnswer['status'], string>> = {
  submitted: 'Waits for staff of the service',
  approved: 'Approved, to be carried out',
  executing: 'Is being carried out',
  executed: 'Carried out',
  failed: 'Failed; staff can try again',
  rejected: 'Rejected',
  cancelled: 'Withdrawn',
}

/** What a signing key signs. */
export const useWords: Readonly<Record<SigningKeyAnswer['use'], string>> = {
  webhooks: 'Events and outcomes',
  evidence: 'Evidence and certificates',
}
