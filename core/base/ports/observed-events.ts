/**
 * What one fact of an event holds: one of a closed set of codes, an `id` that this service made, a `name` from
 * the code, a `digest` in hex, the text of a `failure`, a `count`, or `ms`. Only codes are fit for a metric's label.
 */
export type FactType =
  | readonly (string | null)[]
  | 'id'
  | 'name'
  | 'digest'
  | 'failure'
  | 'count'
  | 'count or null'
  | 'ms'

interface Declaration {
  /** The level of its log line; `error` is counted in `faults_total` too. */
  readonly severity: 'error' | 'warn' | 'info' | 'debug'
  readonly means: string
  readonly facts: Readonly<Record<string, FactType>>
}

/**
 * Every event that an observer hears: how serious it is, what it means, and its facts. `error` is a bug or a broken
 * port, `warn` something that an operator should look at, `info` worth keeping, `debug` the daily course. No fact
 * holds a secret, a body, a URL, or what people and models wrote.
 */
export const observedEvents = {
  'http.unexpected_error': {
    severity: 'error',
    means: 'A request ended in an exception and was answered 500 or 503.',
    facts: { requestId: 'id', method: 'name', route: 'name', error: 'failure' },
  },
  'http.broken_request': {
    severity: 'debug',
    means: 'A request broke off or was malformed halfway.',
    facts: { error: 'failure' },
  },
  'http.answer_cut': {
    severity: 'debug',
    means: 'An answer was cut: memory ran out (`no_room`), or its receiver took nothing.',
    facts: { reason: ['no_room', 'stalled'], bytes: 'count or null' },
  },
  login: {
    severity: 'debug',
    means: 'A login ended, or was refused unread.',
    facts: { outcome: ['succeeded', 'failed', 'undecided', 'throttled', 'malformed'] },
  },
  'access.use_not_noted': {
    severity: 'warn',
    means: "The store refused to note a customer key's last use; the request went on.",
    facts: { error: 'failure' },
  },
  'outbox.fault': {
    severity: 'error',
    means: 'The dispatcher met a broken port or a bug, and goes on.',
    facts: {
      operation: ['claim', 'endpoints', 'launch', 'sign', 'post', 'settle', 'give_back'],
      error: 'failure',
    },
  },
  'outbox.claimed': {
    severity: 'debug',
    means: 'The dispatcher claimed what is due.',
    facts: { lanes: 'count', deliveries: 'count' },
  },
  'outbox.dead_letters': {
    severity: 'warn',
    means: 'Deliveries were given up since the last report, by cause.',
    facts: { cause: ['endpoint_gone', 'retries_exhausted', 'ended_unsent'], count: 'count' },
  },
  'delivery.attempted': {
    severity: 'debug',
    means: 'A POST to an endpoint ended.',
    facts: {
      family: ['standard', 'legacy'],
      outcome: ['delivered', 'failed'],
      status: 'count or null',
      error: [
        'timeout',
        'dns',
        'refused_address',
        'connect',
        'tls',
        'reset',
        'protocol',
        'aborted',
        null,
      ],
      attempt: 'count',
      latencyMs: 'ms',
    },
  },
  'delivery.settled': {
    severity: 'debug',
    means: 'What became of a delivery was committed.',
    facts: {
      family: ['standard', 'legacy'],
      result: ['pending', 'retry_scheduled', 'delivered', 'dead_lettered'],
    },
  },
  'delivery.given_back': {
    severity: 'debug',
    means: 'A claimed delivery went back to the store unsent.',
    facts: { family: ['standard', 'legacy'] },
  },
  'delivery.lease_lost': {
    severity: 'warn',
    means: 'A lease ended before its delivery was settled: a process died, or could not write.',
    facts: { family: ['standard', 'legacy'] },
  },
  'delivery.stale_completion': {
    severity: 'warn',
    means: 'A settle came after another process had taken the delivery, and changed nothing.',
    facts: { family: ['standard', 'legacy'] },
  },
  'webhook.turned_off': {
    severity: 'warn',
    means: 'A webhook was turned off.',
    facts: {
      webhookId: 'id',
      tenantId: 'id',
      reason: ['owner', 'retries_exhausted', 'endpoint_gone', null],
    },
  },
  'webhook.horizon_reset': {
    severity: 'warn',
    means: "A clock had run ahead: an organization's windows of missed events came back to now.",
    facts: { tenantId: 'id', aheadMs: 'ms' },
  },
  'work.lost': {
    severity: 'debug',
    means: 'A work item moved while it ran; whoever moved it runs it.',
    facts: { kind: 'name', ref: 'id' },
  },
  'work.failed': {
    severity: 'error',
    means: 'A work item failed and is put off.',
    facts: { kind: 'name', ref: 'id', claims: 'count', error: 'failure' },
  },
  'work.store_failed': {
    severity: 'error',
    means: 'The store refused to claim work, or to put an item off.',
    facts: { error: 'failure' },
  },
  'mail.failed': {
    severity: 'warn',
    means: 'The mailer did not take a mail, which is tried again.',
    facts: { mailId: 'id', tenantId: 'id', tries: 'count' },
  },
  'mail.given_up': {
    severity: 'warn',
    means: 'A mail was removed unsent: nobody took it for 72 hours, or there is nobody to take it.',
    facts: { mailId: 'id', tenantId: 'id' },
  },
  'purge.blocked_by_hold': {
    severity: 'warn',
    means: "A legal hold keeps an application's purge from beginning; it is looked at hourly.",
    facts: { tenantId: 'id', applicationId: 'id' },
  },
  'purge.failed': {
    severity: 'error',
    means: 'A step of a purge failed and is tried again.',
    facts: {
      tenantId: 'id',
      applicationId: 'id',
      messageId: 'id',
      step: 'count',
      attempts: 'count',
      error: 'failure',
    },
  },
  'purge.poisoned': {
    severity: 'error',
    means:
      'A step of a purge failed for the last time: an operator must look at it, then requeue it.',
    facts: {
      tenantId: 'id',
      applicationId: 'id',
      messageId: 'id',
      step: 'count',
      attempts: 'count',
      error: 'failure',
    },
  },
  'evidence.broken_off': {
    severity: 'warn',
    means:
      'An archive ended before its end, and its receiver was cut: the right to it ended or a subject was erased (`refused`), a store failed (`unavailable`), the copy is damaged (`damaged`), or a bug (`failed`).',
    facts: {
      tenantId: 'id',
      packageId: 'id',
      packType: ['bulk', 'auditor', 'subject'],
      transfer: ['export', 'download'],
      reason: ['refused', 'unavailable', 'damaged', 'failed'],
      error: 'failure',
    },
  },
  'evidence.member_omitted': {
    severity: 'error',
    means: 'A part of an archive could not be made; its manifest says so, the rest was delivered.',
    facts: {
      tenantId: 'id',
      packageId: 'id',
      part: ['session', 'pdf'],
      error: 'failure',
    },
  },
  'thread.restarted': {
    severity: 'error',
    means: 'A thread ended by itself and is started again; what it had under way is tried again.',
    facts: { thread: ['sending', 'signing', 'writing'], error: 'failure' },
  },
  'audit.head': {
    severity: 'info',
    means: 'The last position of an audit log that grew, and the first 16 digits of its hash.',
    facts: { tenantId: 'id', position: 'count', hash: 'digest' },
  },
  'audit.head_failed': {
    severity: 'error',
    means: 'The head of an audit log could not be read.',
    facts: { tenantId: 'id', error: 'failure' },
  },
} as const

type Declared = typeof observedEvents

type ValueOf<F extends FactType> = F extends readonly (infer Code)[]
  ? Code
  : F extends 'count' | 'ms'
    ? number
    : F extends 'count or null'
      ? number | null
      : string

type FactsOf<D extends Declaration> = {
  readonly [Fact in keyof D['facts']]: ValueOf<D['facts'][Fact]>
}

/** The facts of each event by its name. */
export type ObservedEvents = {
  readonly [Name in keyof Declared]: FactsOf<Declared[Name]>
}
