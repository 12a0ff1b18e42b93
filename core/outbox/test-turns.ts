import { type RefusalCode, type Result, refuse } from '../kernel/ledger/refusal.ts'

/** The deadline of an attempt, and time enough for its turn among the endpoint's deliveries. */
export const testPatienceMs = 20_000
/** Tests of one endpoint that are under way or wait. */
const mostTests = 50

/** Makes tests of one endpoint that this process was asked for together follow each other. */
export function createTestTurns() {
  const lines = new Map<string, { waiting: number; last: Promise<unknown> }>()
  return {
    /** Runs a test once those of the endpoint before it have ended. Refuses with `busy` where too many wait. */
    async run<T, Code extends RefusalCode>(
      tenantId: string,
      endpointId: string,
      test: () => Promise<Result<T, Code>>,
    ): Promise<Result<T, Code | 'busy'>> {
      // Others who name the endpoint have a line of their own, and learn nothing by waiting.
      const key = `${tenantId} ${endpointId}`
      const line = lines.get(key) ?? { waiting: 0, last: Promise.resolve() }
      if (line.waiting >= mostTests)
        return refuse(
          'busy',
          `${line.waiting} tests of this endpoint wait, expected fewer than ${mostTests}`,
          { retryAfter: testPatienceMs / 1_000 },
        )
      lines.set(key, line)
      line.waiting++
      const turn = line.last.then(test)
      line.last = turn.catch(() => {})
      try {
        return await turn
      } finally {
        if (--line.waiting === 0) lines.delete(key)
      }
    },
  }
}

export type TestTurns = ReturnType<typeof createTestTurns>
