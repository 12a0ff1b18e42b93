import { randomBytes } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { granted, refused, type World } from '../world.ts'

const holds = '/v1/gdpr/legal-holds'
const erasures = '/v1/gdpr/erasure-requests'
const lookup = '/v1/gdpr/subjects/lookup'
const pseudonym = /^sub_[0-9a-z]{26}$/

/** A person of whom nothing is stored. */
const freshSubject = () => `person-${randomBytes(8).toString('hex')}`

async function subjectOf(world: World, dataSubjectId: string) {
  return granted(await world.admin.post(lookup, { dataSubjectId }))
}

async function holdIds(world: World, query: string): Promise<readonly unknown[]> {
  const found = granted(await world.admin.get(`${holds}?${query}`))
  return (found.legalHolds as { holdId: unknown }[]).map(({ holdId }) => holdId)
}

export const privacyChecks = group('privacy', 'interface, Data subject', [
  {
    name: 'pseudonyms',
    promise: 'a subject has one pseudonym, whose raw id is in no answer, and which names them too',
    run: async (world) => {
      const raw = freshSubject()
      const answer = await world.admin.post(lookup, { dataSubjectId: raw })
      const found = granted(answer)
      const named = String(found.dataSubjectId)
      expect(pseudonym.test(named), `expected a pseudonym, got ${named}`)
      expect(!answer.text.includes(raw), `expected no raw id, got ${answer.text}`)
      expectEqual(found.sessionCount, 0, 'sessions of a fresh subject')
      expectEqual(await subjectOf(world, raw), found, 'the subject again')
      expectEqual(await subjectOf(world, named), found, 'the subject by the pseudonym')
      const other = await subjectOf(world, freshSubject())
      expect(other.dataSubjectId !== named, 'expected another pseudonym for another subject')
    },
  },
  {
    name: 'holds',
    promise: 'a hold is active from its placing to its release, and is told without its matter',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['gdpr.legal_hold_placed'] })
      const raw = freshSubject()
      const placed = granted(
        await world.admin.post(holds, { dataSubjectId: raw, matter: 'Matter of the suite' }),
      )
      const { holdId, dataSubjectId } = placed
      expectEqual((await subjectOf(world, raw)).activeHolds, 1, 'active holds')
      const told = await hook.first('the event', ({ event }) => {
        const data = event.data as { holdId?: unknown } | undefined
        return data?.holdId === holdId
      })
      const { data } = told.event as { readonly data: object }
      expectEqual(data, { holdId, dataSubjectId, placedAt: placed.placedAt }, 'the event')
      expect(
        (await holdIds(world, 'active=true&pageSize=100')).includes(holdId),
        'expected the hold among the active ones',
      )
      const release = `${holds}/${String(holdId)}/release`
      refused(await world.admin.post(release, {}), 400)
      const released = granted(await world.admin.post(release, { reason: 'over' }))
      expectEqual(released.releaseReason, 'over', 'the reason')
      const again = granted(await world.admin.post(release, { reason: 'twice' }))
      expectEqual(again, released, 'a second release')
      expectEqual((await subjectOf(world, raw)).activeHolds, 0, 'active holds')
      expect(
        !(await holdIds(world, 'active=true&pageSize=100')).includes(holdId),
        'expected the hold no longer among the active ones',
      )
    },
  },
  {
    name: 'erasures',
    promise:
      'an erasure is confirmed, has a reason of the list and a subject of whom something is stored',
    run: async (world) => {
      const right = { dataSubjectId: freshSubject(), reason: 'objection', confirm: true }
      refused(await world.admin.post(erasures, { ...right, confirm: false }), 400)
      refused(await world.admin.post(erasures, { ...right, reason: 'because' }), 400)
      refused(await world.admin.post(erasures, right), 404, 'not_found')
      const unknown = `${erasures}/ers_00000000000000000000000000`
      refused(await world.admin.get(unknown), 404, 'not_found')
      refused(await world.admin.get(`${unknown}/certificate`), 404, 'not_found')
      refused(await world.admin.post(`${unknown}/reject`, { reason: 'x' }), 404, 'not_found')
    },
  },
  {
    name: 'rights',
    promise: 'only an admin may look up, hold or erase; every member reads',
    run: async (world) => {
      const subject = { dataSubjectId: freshSubject() }
      refused(await world.reviewer.post(lookup, subject), 403)
      refused(await world.reviewer.post(holds, { ...subject, matter: 'x' }), 403)
      refused(
        await world.reviewer.post(erasures, { ...subject, reason: 'other', confirm: true }),
        403,
      )
      granted(await world.reviewer.get(holds))
      granted(await world.reviewer.get(erasures))
      refused(await world.nobody.portal.get(holds), 401)
    },
  },
])
