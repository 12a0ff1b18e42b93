import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { expectSigned } from '../evidence-keys.ts'
import { validUnder } from '../signature.ts'
import { sessionPath, submit, wholeSession } from '../spans.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const signingKeys = '/v1/customer/signing-keys'
const day = 24 * 3_600_000
const minute = 60_000

async function newest(world: World, use: string): Promise<Body> {
  const all = granted(await world.reviewer.get(signingKeys)).signingKeys as readonly Body[]
  const found = all.find((key) => key.use === use)
  expect(found !== undefined, `expected a key for ${use}`)
  return found
}

const rotate = (world: World, use: string) => world.admin.post(`${signingKeys}/rotate`, { use })

/** Raw public keys that are published, in base64. */
async function published(world: World): Promise<readonly string[]> {
  const path = `/.well-known/webhook-keys/${world.tenantId}`
  const { keys } = granted(await world.nobody.portal.get(path))
  return (keys as readonly Body[]).map(({ x }) =>
    Buffer.from(String(x), 'base64url').toString('base64'),
  )
}

export const signingKeyChecks = group('signing-keys', 'interface, Signing key', [
  {
    name: 'evidence',
    promise: 'a rotated evidence key signs at once, and what the one before signed still verifies',
    needs: ['customerKey'],
    run: async (world) => {
      const session = wholeSession(await world.clock.now())
      await submit(world, session)
      const path = sessionPath(world, String(session.sessionId), '/evidence')
      const before = granted(await world.reviewer.get(path))
      const old = await newest(world, 'evidence')
      refused(await world.reviewer.post(`${signingKeys}/rotate`, { use: 'evidence' }), 403)
      refused(await rotate(world, 'everything'), 400)
      const made = granted(await rotate(world, 'evidence'))
      expectEqual(made.keyVersion, Number(old.keyVersion) + 1, 'keyVersion')
      expectEqual(await newest(world, 'evidence'), made, 'the newest key')
      const after = granted(await world.reviewer.get(path))
      const keyOf = ({ signatures }: Body) => (signatures as readonly Body[])[0]?.keyId
      expect(keyOf(after) !== keyOf(before), 'expected another key in new evidence')
      await expectSigned(world, before)
      await expectSigned(world, after)
    },
  },
  {
    name: 'webhooks',
    promise:
      'a coming key is published 24 h before it signs, signs 24 h beside the old one, then alone',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const created = 'review.case.created'
      const hook = await world.webhook({ eventTypes: [created] })
      const event = async () => {
        const { reviewCaseId } = await world.open()
        return hook.first('the event', (one) => one.event.reviewCaseId === reviewCaseId)
      }
      let answer = await rotate(world, 'webhooks')
      // One that is under way ends within two days.
      if (answer.status === 409) {
        await world.clock.advance(2 * day)
        answer = await rotate(world, 'webhooks')
      }
      const made = granted(answer)
      refused(await rotate(world, 'webhooks'), 409, 'already_rotating')
      const { signing } = granted(await world.admin.get(`/v1/webhooks/${hook.id}`))
      const { publicKey, nextPublicKey, nextSignsFrom } = signing as Body
      expectEqual(
        [nextPublicKey, nextSignsFrom],
        [made.publicKey, made.signsFrom],
        'the coming key in the webhook',
      )
      const [old, next] = [String(publicKey), String(nextPublicKey)]
      expect((await published(world)).includes(next.slice('whpk_'.length)), 'expected it published')
      const lead = Date.parse(String(made.signsFrom)) - (await world.clock.now())
      expect(Math.abs(lead - day) < minute, `expected it to sign in 24 h, got ${lead} ms`)
      const under = async () => {
        const delivery = await event()
        return [validUnder(delivery, old), validUnder(delivery, next)]
      }
      expectEqual(await under(), [1, 0], 'signatures by the old and the coming key')
      await world.clock.advance(lead + minute)
      expectEqual(await under(), [1, 1], 'the same after a day')
      await world.clock.advance(day)
      expectEqual(await under(), [0, 1], 'the same after two days')
    },
  },
])
