/** The modules of the core that a mutant can break: the module, by its path below the core, and its exports. */
export interface Modules {
  readonly 'access/plans': typeof import('../../core/access/plans.ts')
  readonly 'erasure/waiting': typeof import('../../core/erasure/waiting.ts')
  readonly 'ledger/listing': typeof import('../../core/ledger/listing.ts')
  readonly 'ledger/receipts': typeof import('../../core/ledger/receipts.ts')
  readonly 'outbox/answer': typeof import('../../core/outbox/answer.ts')
  readonly 'outbox/claims': typeof import('../../core/outbox/claims.ts')
  readonly 'outbox/machine': typeof import('../../core/outbox/machine.ts')
  readonly 'outbox/options': typeof import('../../core/outbox/options.ts')
  readonly 'outbox/policy': typeof import('../../core/outbox/policy.ts')
  readonly 'outbox/sender': typeof import('../../core/outbox/sender.ts')
  readonly 'review/execution/change-set': typeof import('../../core/review/execution/change-set.ts')
  readonly 'review/deadlines': typeof import('../../core/review/deadlines.ts')
  readonly 'review/machine/machine': typeof import('../../core/review/machine/machine.ts')
  readonly 'review/execution/case-events': typeof import('../../core/review/execution/case-events.ts')
  readonly 'review/machine/record-steps': typeof import('../../core/review/machine/record-steps.ts')
  readonly 'review/machine/transitions': typeof import('../../core/review/machine/transitions.ts')
  readonly 'review/sealing': typeof import('../../core/review/sealing.ts')
  readonly 'review/machine/steps': typeof import('../../core/review/machine/steps.ts')
  readonly 'webhooks/machine/admits': typeof import('../../core/webhooks/machine/admits.ts')
  readonly 'webhooks/machine/decided': typeof import('../../core/webhooks/machine/decided.ts')
  readonly 'webhooks/delivery/consequences': typeof import('../../core/webhooks/delivery/consequences.ts')
  readonly 'webhooks/delivery/endpoint': typeof import('../../core/webhooks/delivery/endpoint.ts')
  readonly 'webhooks/routing/event-time': typeof import('../../core/webhooks/routing/event-time.ts')
  readonly 'webhooks/machine/machine': typeof import('../../core/webhooks/machine/machine.ts')
  readonly 'webhooks/routing/fan-out': typeof import('../../core/webhooks/routing/fan-out.ts')
  readonly 'webhooks/delivery/upkeep': typeof import('../../core/webhooks/delivery/upkeep.ts')
  readonly 'webhooks/machine/missed-windows': typeof import('../../core/webhooks/machine/missed-windows.ts')
}

/** What takes the place of exports of a module, each made from what the module really exports. */
export type Wrappers<M> = { readonly [Name in keyof M]?: (original: M) => M[Name] }

export type Parts = { readonly [Path in keyof Modules]?: Wrappers<Modules[Path]> }
