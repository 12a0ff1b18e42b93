import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCase, openWorld, value, type World } from './world.ts'

interface Row {
  readonly reviewCaseId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly state: string
  readonly reviewTier: string
  readonly assignment: { readonly reviewerId: string } | null
}

/** What a row must be for each filter of the list, by the value that was asked for; `me` is the admin. */
const fits: Readonly<Record<string, (row: Row, asked: string, me: string) => boolean>> = {
  applicationId: (row, asked) => row.applicationId === asked,
  sessionId: (row, asked) => row.sessionId === asked,
  state: (row, asked) => row.state === asked,
  tier: (row, asked) => row.reviewTier === asked,
  assignee: ({ assignment }, asked, me) =>
    asked === 'none'
      ? assignment === null
      : assignment?.reviewerId === (asked === 'me' ? me : asked),
}

/** Cases of two applications that differ in all that a filter looks at. */
async function openCases({ home, sibling, opened, reviewer, service }: World): Promise<void> {
  for (let n = 0; n < 24; n++) {
    const owner = n % 2 === 0 ? home.app : sibling
    const reviewTier = n % 3 === 0 ? 'urgent' : 'standard'
    const sessionId = `ses_${n % 5}`
    const { reviewCaseId } = await opened(owner, { ...newCase(), sessionId, reviewTier })
    if (n % 4 < 2) {
      const { actor } = n % 4 === 0 ? home.admin : reviewer
      value(await service.reviewCases.claim(actor, { reviewCaseId }))
    }
    if (n % 7 === 0) {
      const reasonCategory = 'end_user_cancelled'
      const actor = { kind: 'application', ...owner } as const
      value(await service.reviewCases.cancel(actor, { reviewCaseId, reasonCategory }))
    }
  }
}

test('the list of cases is filtered by each of its filters, and by all of them together', async () => {
  const world = await openWorld()
  try {
    await openCases(world)
    const { admin, app } = world.home
    const list = async (query: string) => {
      const path = `/v1/review-cases?pageSize=100&${query}`
      const answer = await world.call({ host: 'portal', method: 'GET', path, as: admin })
      assert.equal(answer.status, 200, answer.text)
      return JSON.parse(answer.text) as { reviewCases: readonly Row[]; totalCount: number }
    }
    const all = (await list('')).reviewCases
    const samples: Readonly<Record<string, readonly string[]>> = {
      applicationId: [app.applicationId, world.sibling.applicationId, 'app_unknown'],
      sessionId: ['ses_0', 'ses_3'],
      state: ['open', 'cancelled'],
      tier: ['urgent', 'standard'],
      assignee: ['me', 'none', world.reviewer.actor.memberId],
    }
    assert.deepEqual(Object.keys(samples), Object.keys(fits))
    const filters = Object.entries(samples).reduce<readonly (readonly [string, string][])[]>(
      (made, [name, values]) =>
        made.flatMap((each) => [
          each,
          ...values.map((asked): [string, string][] => [...each, [name, asked]]),
        ]),
      [[]],
    )
    for (const filter of filters) {
      const query = new URLSearchParams(filter).toString()
      const { reviewCases, totalCount } = await list(query)
      const me = admin.actor.memberId
      const expected = all.filter((row) =>
        filter.every(([name, asked]) => fits[name]?.(row, asked, me)),
      )
      const ids = (rows: readonly Row[]) => rows.map(({ reviewCaseId }) => reviewCaseId)
      assert.deepEqual(ids(reviewCases), ids(expected), query)
      assert.equal(totalCount, expected.length, query)
    }
  } finally {
    await world.close()
  }
})
