/** The modules of the core that a mutant can break: the module, by its path below the core, and its exports. */
export interface Modules {
  readonly 'ledger/listing': typeof import('../../core/ledger/listing.ts')
  readonly 'ledger/receipts': typeof import('../../core/ledger/receipts.ts')
  readonly 'outbox/answer': typeof import('../../core/outbox/answer.ts')
  readonly 'outbox/claims': typeof import('../../core/outbox/claims.ts')
  readonly 'outbox/machine': typeof import('../../core/outbox/machine.ts')
  readonly 'outbox/options': typeof import('../../core/outbox/options.ts')
  readonly 'outbox/policy': typeof import('../../core/outbox/policy.ts')
  readonly 'outbox/sender': typeof import('../../core/outbox/sender.ts')
  readonly 'review/changes': typeof import('../../core/review/changes.ts')
  readonly 'review/deadlines': typeof import('../../core/review/deadlines.ts')
  readonly 'review/machine': typeof import('../../core/review/machine.ts')
  readonly 'review/messages': typeof import('../../core/review/messages.ts')
  readonly 'review/record': typeof import('../../core/review/record.ts')
  readonly 'review/rows': typeof import('../../core/review/rows.ts')
  readonly 'review/sealing': typeof import('../../core/review/sealing.ts')
  readonly 'review/steps': typeof import('../../core/review/steps.ts')
  readonly 'webhooks/admits': typeof import('../../core/webhooks/admits.ts')
  readonly 'webhooks/changed': typeof import('../../core/webhooks/changed.ts')
  readonly 'webhooks/consequences': typeof import('../../core/webhooks/consequences.ts')
  readonly 'webhooks/endpoint': typeof import('../../core/webhooks/endpoint.ts')
  readonly 'webhooks/event-time': typeof import('../../core/webhooks/event-time.ts')
  readonly 'webhooks/machine': typeof import('../../core/webhooks/machine.ts')
  readonly 'webhooks/fan-out': typeof import('../../core/webhooks/fan-out.ts')
  readonly 'webhooks/upkeep': typeof import('../../core/webhooks/upkeep.ts')
  readonly 'webhooks/windows': typeof import('../../core/webhooks/windows.ts')
}

/** What takes the place of exports of a module, each made from what the module really exports. */
export type Wrappers<M> = { readonly [Name in keyof M]?: (original: M) => M[Name] }

export type Parts = { readonly [Path in keyof Modules]?: Wrappers<Modules[Path]> }
