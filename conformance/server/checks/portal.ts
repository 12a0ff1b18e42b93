import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { acts, done } from './acts.ts'

const summary = '/v1/portal/summary'

interface Queued {
  readonly reviewCaseId: string
  readonly dueAt: string
  readonly [member: string]: unknown
}

/** A page of the queue: others may have open cases too, so that a whole list could be long. */
async function queue(world: World, query: string): Promise<readonly Queued[]> {
  const found = granted(await world.reviewer.get(`/v1/portal/review-queue?limit=100&${query}`))
  return found.rows as unknown as readonly Queued[]
}

export const portalChecks = group('portal', 'interface, Queue', [
  {
    name: 'summary',
    promise: 'the summary counts what waits for a reviewer, and tells others of webhooks alone',
    run: async (world) => {
      const before = granted(await world.reviewer.get(summary)).reviewCases as Body
      await done(acts.claim(world, await world.open(), 'reviewer'))
      const told = granted(await world.reviewer.get(summary))
      const { mine, soonestDueAt } = told.reviewCases as Body
      expectEqual(mine, Number(before.mine) + 1, 'cases of the reviewer after a claim')
      expect(Date.parse(String(soonestDueAt)) > 0, `expected soonestDueAt, got ${soonestDueAt}`)
      expect(Date.parse(String(told.serverTime)) > 0, 'expected serverTime')
      expectEqual(told.sandbox, false, 'sandbox')
    },
  },
  {
    name: 'queue',
    promise: 'the queue lists open cases by when they are due, without presentations',
    run: async (world) => {
      const mine = await done(acts.claim(world, await world.open(), 'reviewer'))
      const { reviewCaseId } = mine
      // The last due first, in which a case of now is near the beginning.
      const own = await queue(world, 'assignee=me&sort=-dueAt')
      const row = own.find((each) => each.reviewCaseId === reviewCaseId)
      expect(row !== undefined, `expected ${reviewCaseId} in the queue of its assignee`)
      expectEqual(row?.caseVersion, mine.caseVersion, 'the version in the queue')
      expect(!Object.hasOwn(row ?? {}, 'presentation'), 'expected no presentation in the queue')
      const times = (await queue(world, '')).map(({ dueAt }) => dueAt)
      expectEqual(times, [...times].sort(), 'the order of the queue')
      await done(acts.decide(world, mine, 'reviewer', 'approved'))
      const left = await queue(world, 'assignee=me&sort=-dueAt')
      expect(
        left.every((each) => each.reviewCaseId !== reviewCaseId),
        'expected no decided case in the queue',
      )
    },
  },
  {
    name: 'statistics',
    promise: 'admins read how cases ended, and other members do not',
    run: async (world) => {
      const path = '/v1/portal/review-statistics?days=1'
      const approved = async () =>
        Number((granted(await world.admin.get(path)).all as Body).approved)
      const before = await approved()
      const mine = await done(acts.claim(world, await world.open(), 'reviewer'))
      await done(acts.decide(world, mine, 'reviewer', 'approved'))
      expect((await approved()) > before, 'expected the approval to be counted')
      refused(await world.reviewer.get(path), 403)
    },
  },
  {
    name: 'notices',
    promise: 'a reviewer turns the mails about cases that wait off and on, for themselves alone',
    run: async (world) => {
      const path = '/v1/portal/notices'
      const { sends, reviewWaiting } = granted(await world.reviewer.get(path))
      expect(typeof sends === 'boolean', `expected whether mails are sent, got ${sends}`)
      const others = granted(await world.admin.get(path))
      for (const each of [!reviewWaiting, reviewWaiting]) {
        const saved = granted(await world.reviewer.put(path, { reviewWaiting: each }))
        expectEqual(saved, { sends, reviewWaiting: each }, 'the notices as they are saved')
        expectEqual(granted(await world.reviewer.get(path)), saved, 'the notices as they are read')
        expectEqual(granted(await world.admin.get(path)), others, 'the notices of another member')
      }
      refused(await world.reviewer.put(path, { reviewWaiting: 'no' }), 400)
    },
  },
  {
    name: 'guidelines',
    promise: 'an admin tells the reviewers of an application what to look at, in plain text',
    run: async (world) => {
      const { applicationId } = await world.ownApplication({})
      const path = `/v1/applications/${applicationId}/reviewer-guidelines`
      expectEqual(granted(await world.reviewer.get(path)).guidelines, null, 'guidelines at first')
      const guidelines = 'Compare the account with the invoice.'
      refused(await world.reviewer.put(path, { guidelines }), 403, 'forbidden')
      refused(await world.admin.put(path, { guidelines: 'x'.repeat(10_001) }), 400)
      const set = granted(await world.admin.put(path, { guidelines }))
      expectEqual(granted(await world.reviewer.get(path)), set, 'the guidelines as they are read')
      expectEqual([set.guidelines, set.updatedBy], [guidelines, world.adminId], 'text and author')
    },
  },
])
