import { stepTypes } from '../../content/span.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { flag, type InsOf, line, name, oneOf, type RowsOf } from '../../kernel/shape.ts'
import { optional, usual } from '../../kernel/wrap.ts'
import { patterns, someOf } from '../patterns.ts'
import { scanPaymentCards } from './detect-card.ts'
import { scanEmails } from './detect-email.ts'
import { scanIbans } from './detect-iban.ts'
import { scanIpAddresses } from './detect-ip.ts'
import { scanPhones } from './detect-phone.ts'
import type { Scan } from './scan.ts'

/** Fields of steps, and of a session, that hold content. */
export const redactedFields = ['input', 'output', 'attributes', 'metadata'] as const
/** A field that holds content. */
export type RedactedField = (typeof redactedFields)[number]

/** What a redaction policy finds; `whole_value` is the value that its keys select. */
export const detectables = [
  'email',
  'phone',
  'iban',
  'payment_card',
  'ip_address',
  'whole_value',
] as const
/** What a redaction policy finds. */
export type Detectable = (typeof detectables)[number]

/** What takes the place of what was found: a mark, nothing, or a keyed hash. */
export const redactionActions = ['mask', 'remove', 'hash'] as const
/** What a redaction policy does with what it finds. */
export type RedactionAction = (typeof redactionActions)[number]

/** The members that the owner of a redaction policy sets; an empty list names all. */
const definition = {
  name: name(longest.name),
  enabled: usual(flag, true),
  /** A policy for certain types reaches a session's metadata only where `fields` names them. */
  stepTypes: someOf(stepTypes),
  fields: someOf(redactedFields),
  /** Globs over names of members at any depth; what is under a named member is selected whole. */
  keys: patterns,
  detect: oneOf(detectables),
  action: oneOf(redactionActions),
}

/** The members of a redaction policy. */
export const redactionPolicy = { redactionPolicyId: line(longest.id), ...definition }
/** A redaction policy; an empty list names all. */
export interface RedactionPolicy extends RowsOf<typeof redactionPolicy> {}

/** The members of a policy to save: with the id of a policy of this application, or none for a new one. */
export const givenRedactionPolicy = {
  redactionPolicyId: optional(line(longest.id)),
  ...definition,
}
/** A redaction policy to save. */
export interface RedactionPolicyInput extends InsOf<typeof givenRedactionPolicy> {}

interface Detector {
  readonly scan: Scan
  /** Characters of the shortest text that holds any. */
  readonly shortest: number
  /** One form of what can be written in several, so that their hashes agree. */
  readonly normal: (found: string) => string
}

const alphanumerics = (found: string) => found.replace(/[^\dA-Za-z]/g, '').toUpperCase()

/** Every detector of parts of a text. */
export const detectors: Readonly<Record<Exclude<Detectable, 'whole_value'>, Detector>> = {
  email: { scan: scanEmails, shortest: 5, normal: (found) => found.toLowerCase() },
  phone: { scan: scanPhones, shortest: 8, normal: (found) => found.replace(/[^\d+]/g, '') },
  iban: { scan: scanIbans, shortest: 15, normal: alphanumerics },
  payment_card: { scan: scanPaymentCards, shortest: 13, normal: alphanumerics },
  ip_address: { scan: scanIpAddresses, shortest: 3, normal: (found) => found.toLowerCase() },
}
