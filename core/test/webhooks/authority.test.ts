import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { Result } from '../../kernel/ledger/refusal.ts'
import { type Member, members } from '../../organizations/access/records.ts'
import { answered } from '../../testing/index.ts'
import type { WebhookUseCases } from '../../webhooks/written.ts'
import { admin, code, day, fixture, start } from './fixture.ts'

type Command = (
  service: WebhookUseCases,
  actor: MemberActor,
  webhookId: string,
  eventId: string,
) => Promise<Result<unknown>>

const commands: Readonly<Record<string, Command>> = {
  create: (service, actor) =>
    service.create(actor, { url: 'https://b.example/hook', eventTypes: ['*'] }),
  update: (service, actor, id) => service.update(actor, { webhookId: id, description: 'other' }),
  remove: (service, actor, id) => service.remove(actor, { webhookId: id }),
  test: (service, actor, id) => service.test(actor, { webhookId: id }),
  'request verification': (service, actor, id) =>
    service.requestVerification(actor, { webhookId: id }),
  'rotate the secret': (service, actor, id) => service.rotateSecret(actor, { webhookId: id }),
  'turn off': (service, actor, id) => service.turnOff(actor, { webhookId: id }),
  replay: (service, actor, id, eventId) => service.replay(actor, { webhookId: id, eventId }),
  recover: (service, actor, id) =>
    service.recover(actor, { webhookId: id, from: start, until: start + day }),
}

const losses: readonly (readonly [string, Partial<Member>])[] = [
  ['authentication_required', { status: 'Suspended' }],
  ['forbidden', { role: 'CustomerAuditor', granted: [] }],
]

for (const [name, command] of Object.entries(commands))
  for (const [refused, loss] of losses)
    test(`${name}: ${refused} once the member's change was committed before it`, async () => {
      let strike: (() => Promise<void>) | null = null
      const world = fixture({
        faults: async (point, operation) => {
          const [due] = point === 'before_commit' && operation.kind === 'commit' ? [strike] : []
          if (!due) return
          strike = null
          await due()
        },
      })
      const { id } = await world.created({ signing: { method: 'shared_secret' } })
      const event = await world.emit('review.case.created')
      await world.pump(() => answered(410))
      await world.service.update(admin, { webhookId: id, url: 'https://c.example/hook' })
      await world.service.turnOn(admin, { webhookId: id })
      const before = world.audits().length

      // Between what the command has read and its commit.
      strike = async () => {
        const was = world.store.rows(members).find(({ row }) => row.memberId === admin.memberId)
        assert.ok(was)
        await world.store.commit({
          tenant: admin.tenantId,
          puts: [put(members, { ...was.row, ...loss }, was)],
        })
      }
      const result = await command(world.service, admin, id, event.id)
      assert.equal(strike, null, 'the command came to no commit')
      assert.equal(code(result), refused)
      assert.equal(world.audits().length, before)
    })
