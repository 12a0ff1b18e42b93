import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { members } from '@countersign/core/access'
import fc, { type Scheduler } from 'fast-check'
import { code, createFixture, type Fixture, password, system, value } from './fixture.ts'
import { interleave } from './member-races.ts'

const address = '192.0.2.1'
const byReset = 'chosen by the reset'
const byChange = 'chosen by the change'

/** A fixture whose reviewer has the token of a reset. */
async function world() {
  const fixture = await createFixture()
  const { access, reviewer, actorOf, admin } = fixture
  const [ada, rob] = [await actorOf(admin.email), await actorOf(reviewer.email)]
  const issued = value(await access.issuePasswordReset(system, { email: reviewer.email }))
  const token = new URL(issued.resetUrl).hash.slice(1)
  const accept = (chosen = byReset) =>
    access.acceptPasswordReset({ token, password: chosen, address })
  const opens = async (chosen: string) =>
    code(await access.login({ email: reviewer.email, password: chosen, address })) === 'ok'
  return { ...fixture, ada, rob, accept, opens }
}

type World = Awaited<ReturnType<typeof world>>

/** Runs acts at once, in an order that the scheduler draws for their reads and commits. */
function race(act: (w: World, scheduled: <T>(acts: Promise<T>) => Promise<T>) => Promise<void>) {
  return fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler: Scheduler) => {
      const w = await world()
      interleave(w as Fixture, scheduler)
      await act(w, async (acts) => {
        const done = await scheduler.waitFor(acts)
        w.break(() => {})
        return done
      })
    }),
    { numRuns: 60 },
  )
}

describe('resets of passwords, under any interleaving of the store', () => {
  it('are accepted once, of two at the same time', () =>
    race(async ({ accept, opens, audited }, scheduled) => {
      const results = await scheduled(
        Promise.all([accept('the first of two'), accept('the second of two')]),
      )
      assert.deepEqual(results.map(code).toSorted(), ['not_found', 'ok'])
      const won = code(results[0]) === 'ok' ? 'the first of two' : 'the second of two'
      assert.ok(await opens(won))
      const told = (await audited()).filter(({ action }) => action === 'member.password_reset')
      assert.equal(told.length, 1)
    }))

  it('and changes at the same time: exactly one wins', () =>
    race(async ({ access, rob, accept, opens }, scheduled) => {
      const change = access.changePassword(rob, { current: password, next: byChange, address })
      const [reset, changed] = await scheduled(Promise.all([accept(), change]))
      const won = [code(reset), code(changed)].filter((each) => each === 'ok')
      assert.equal(won.length, 1, `${code(reset)} ${code(changed)}`)
      assert.ok(await opens(reset.ok ? byReset : byChange))
    }))

  it('and deactivations at the same time: none succeeds after the member is suspended', () =>
    race(async ({ service, ada, reviewer, accept, opens, store, audited }, scheduled) => {
      const off = service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true })
      const [reset, deactivated] = await scheduled(Promise.all([accept(), off]))
      value(deactivated)
      const row = store.rows(members).find((each) => each.row.memberId === reviewer.memberId)?.row
      assert.equal(row?.status, 'Suspended')
      assert.equal(await opens(byReset), false)
      const order = (await audited())
        .map(({ action }) => action)
        .filter((action) => ['member.password_reset', 'member.deactivated'].includes(action))
      const both = ['member.password_reset', 'member.deactivated']
      assert.deepEqual(order, reset.ok ? both : ['member.deactivated'])
      value(await service.members.reactivate(ada, { memberId: reviewer.memberId }))
      assert.equal(await opens(reset.ok ? byReset : password), true)
      assert.equal(code(await accept()), 'not_found')
    }))

  it('are made for nobody who is suspended at the same time', () =>
    race(async ({ service, access, ada, reviewer }, scheduled) => {
      const [issued] = await scheduled(
        Promise.all([
          access.issuePasswordReset(system, { email: reviewer.email }),
          service.members.deactivate(ada, { memberId: reviewer.memberId, confirm: true }),
        ]),
      )
      value(await service.members.reactivate(ada, { memberId: reviewer.memberId }))
      if (!issued.ok) return
      const token = new URL(issued.value.resetUrl).hash.slice(1)
      const late = await access.acceptPasswordReset({ token, password: byReset, address })
      assert.equal(code(late), 'not_found')
    }))
})
