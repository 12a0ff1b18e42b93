import fc from 'fast-check'

const people = ['grace', 'alan'] as const

const weights = {
  ...{ span: 10, submit: 3, case: 5, decide: 4, hold: 4, release: 4, erase: 4, pack: 4, note: 2 },
  ...{ delete: 8, cancel: 5, deleteTenant: 2, cancelTenant: 2, suspend: 1, resume: 2, promote: 2 },
  ...{ rotate: 2, issueKey: 2, revokeKey: 1, askKey: 2, keyStep: 4, network: 2, break: 2, die: 6 },
  ...{ pass: 8, age: 8, requeue: 2 },
} as const

/** What is done: by whom, of what, about whom. */
export interface Act {
  readonly do: keyof typeof weights
  readonly sender: number
  readonly of: number
  readonly subject: (typeof people)[number] | null
  readonly whole: boolean
}

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    do: fc.oneof(
      ...Object.entries(weights).map(([each, weight]) => ({
        weight,
        arbitrary: fc.constant(each as Act['do']),
      })),
    ),
    sender: fc.nat(2),
    of: fc.nat(60),
    subject: fc.option(fc.constantFrom(...people), { freq: 3 }),
    whole: fc.boolean(),
  }),
  { minLength: 10, maxLength: 45 },
)

/** All that a world depends on. */
export interface History {
  readonly seed: number
  readonly acts: readonly Act[]
}

export const histories: fc.Arbitrary<History> = fc.record({ seed: fc.nat(), acts })

/** Content that an application sent, and was told that it was stored. */
export interface Sent {
  readonly text: string
  readonly tenantId: string
  readonly applicationId: string
  readonly stepId: string
  /** Null for a span, whose session may become another. */
  readonly sessionId: string | null
  readonly subject: string | null
}

/** An erasure that was asked for, with what had been sent until then. */
export interface Asked {
  readonly tenantId: string
  readonly subject: string
  readonly erasureRequestId: string | null
  readonly before: readonly Sent[]
}

/** What was done so far. */
export interface Done {
  readonly sent: Sent[]
  readonly asked: Asked[]
  /** Numbers what is sent. */
  count: number
}
