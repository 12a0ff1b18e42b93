import assert from 'node:assert/strict'
import { invitations, members, rosters } from '@countersign/core/access'
import type { Ledger } from '@countersign/core/ledger'
import fc, { type Scheduler } from 'fast-check'
import { code, createFixture, type Fixture, password, system, value } from './fixture.ts'

/** From now on every operation of the store waits for its turn, in an order that the scheduler draws. */
export function interleave({ break: through }: Fixture, scheduler: Scheduler): void {
  through((point, { kind }) =>
    point === 'before' ? scheduler.schedule(Promise.resolve(), kind).then(() => {}) : undefined,
  )
}

const down = { role: 'CustomerAuditor', permissions: [] } as const

interface Act {
  readonly by: number
  readonly on: number
  readonly kind: 'demote' | 'deactivate'
}

const act: fc.Arbitrary<Act> = fc.record({
  by: fc.nat({ max: 1 }),
  on: fc.nat({ max: 1 }),
  kind: fc.constantFrom('demote', 'deactivate'),
})

/** Two admins act at once, on themselves and on each other; somebody must stay. */
export async function actAtOnce(
  scheduler: Scheduler,
  acts: readonly Act[],
  wrap: (ledger: Ledger) => Ledger,
): Promise<void> {
  const fixture = await createFixture({ wrap })
  const { service, access, admin, store, tenantId, actorOf } = fixture
  const input = { name: 'Ben', email: 'ben@acme.example', password }
  const rights = { role: 'CustomerAdmin' as const, permissions: [] }
  const ben = value(await access.createMember(system, { tenantId, ...input, ...rights }))
  const admins = [admin, ben]
  const actors = await Promise.all(admins.map(({ email }) => actorOf(email)))
  interleave(fixture, scheduler)
  await scheduler.waitFor(
    Promise.all(
      acts.map(({ by, on, kind }) => {
        const [actor, target] = [actors[by], admins[on]?.memberId ?? '']
        if (!actor) throw new Error(`no actor ${by}`)
        return kind === 'demote'
          ? service.members.setRole(actor, { memberId: target, ...down })
          : service.members.deactivate(actor, { memberId: target, confirm: true })
      }),
    ),
  )
  const left = store
    .rows(members)
    .filter(({ row }) => row.status === 'Active' && row.role === 'CustomerAdmin')
    .map(({ row }) => row.memberId)
  assert.ok(left.length >= 1, 'the tenant has no admin left')
  assert.deepEqual([...(store.rows(rosters)[0]?.row.admins ?? [])].toSorted(), left.toSorted())
}

/** What they do. */
export const acts = fc.array(act, { minLength: 2, maxLength: 3 })

/** A ledger whose changes of members leave the tenant's row of admins alone. */
export function withoutRoster(ledger: Ledger): Ledger {
  return {
    ...ledger,
    execute: (tenant, plan) =>
      ledger.execute(tenant, async (unit) => {
        const planned = await plan(unit)
        if (planned.kind !== 'commit' || !planned.set.puts) return planned
        const isNew = (put: { readonly was: unknown }) => put.was === null
        const puts = planned.set.puts.filter((put) => put.in !== rosters.name || isNew(put))
        return { ...planned, set: { ...planned.set, puts } }
      }),
  }
}

/** Two people with the token accept at once. */
async function acceptTwice(scheduler: Scheduler): Promise<void> {
  const fixture = await createFixture()
  const { service, access, admin, store, actorOf, audited } = fixture
  const ada = await actorOf(admin.email)
  const invited = value(await service.invitations.create(ada, { email: 'eve@acme.example' }))
  const token = new URL(invited.acceptUrl ?? '').hash.slice(1)
  interleave(fixture, scheduler)
  const accept = (name: string) =>
    access.acceptInvitation({ token, name, password, address: '192.0.2.9' })
  const results = await scheduler.waitFor(Promise.all([accept('Eve'), accept('Mallory')]))
  fixture.break(() => {})
  assert.deepEqual(results.map(code).toSorted(), ['invitation_expired', 'ok'])
  const joined = store.rows(members).filter(({ row }) => row.email === 'eve@acme.example')
  assert.equal(joined.length, 1)
  assert.equal(joined[0]?.row.name, code(results[0]) === 'ok' ? 'Eve' : 'Mallory')
  const told = (await audited()).filter(({ action }) => action === 'invitation.accepted')
  assert.equal(told.length, 1)
}

/** An admin invites, and an invitee accepts, while another admin shuts the inviting one out. */
export async function inviteAndShutOut(
  scheduler: Scheduler,
  wrap: (ledger: Ledger) => Ledger,
): Promise<void> {
  const fixture = await createFixture({ wrap })
  const { service, access, admin, store, tenantId, actorOf } = fixture
  const input = { name: 'Ben', email: 'ben@acme.example', password }
  const rights = { role: 'CustomerAdmin' as const, permissions: [] }
  const { memberId } = value(await access.createMember(system, { tenantId, ...input, ...rights }))
  const [ada, ben] = [await actorOf(admin.email), await actorOf(input.email)]
  const earlier = value(await service.invitations.create(ben, { email: 'eve@acme.example' }))
  const token = new URL(earlier.acceptUrl ?? '').hash.slice(1)
  interleave(fixture, scheduler)
  const [accepted] = await scheduler.waitFor(
    Promise.all([
      access.acceptInvitation({ token, name: 'Eve', password, address: '192.0.2.9' }),
      service.invitations.create(ben, { email: 'fay@acme.example' }),
      service.members.deactivate(ada, { memberId, confirm: true }),
    ]),
  )
  fixture.break(() => {})
  const pending = store.rows(invitations).filter(({ row }) => row.status === 'pending')
  assert.deepEqual(pending, [], 'an invitation of who is shut out is pending')
  const shown = store.rows(members).map(({ row }) => [row.email, row.status])
  const joined = code(accepted) === 'ok' ? [['eve@acme.example', 'Active']] : []
  assert.deepEqual(
    shown.filter(([email]) => email?.startsWith('eve') || email?.startsWith('fay')),
    joined,
  )
}

/** An admin who invites is shut out, in so many schedules. */
export async function raceInviter(schedules: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), (scheduler) =>
      inviteAndShutOut(scheduler, (ledger) => ledger),
    ),
    { numRuns: schedules },
  )
}

/** Two admins act at once, in so many schedules. */
export async function raceAdmins(schedules: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), acts, (scheduler, drawn) =>
      actAtOnce(scheduler, drawn, (ledger) => ledger),
    ),
    { numRuns: schedules },
  )
}

/** An invitation is accepted twice at once, in so many schedules. */
export async function raceAcceptances(schedules: number): Promise<void> {
  await fc.assert(fc.asyncProperty(fc.scheduler(), acceptTwice), { numRuns: schedules })
}
