import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Mail, Mailer } from '@countersign/core/ports'
import { plainSealer } from '@countersign/core/testing'
import { createPost, owedMails } from '../../../kernel/mail/index.ts'
import { createFixture } from '../../organizations/access/fixture.ts'

const hour = 3_600_000

/** Owes one mail to the contact address. */
async function owing(mailer: Mailer | null) {
  const fixture = await createFixture(mailer ? { mailer } : {})
  const { ledger, tenantId } = fixture
  const post = createPost({ ...(mailer && { mailer }), sealer: plainSealer() })
  const letter = { to: null, subject: 'A notice', text: 'Something happened.' }
  await ledger.execute(tenantId, async (unit) => ({
    kind: 'commit',
    set: { puts: post.owe(unit, tenantId, letter) },
    value: null,
  }))
  return fixture
}

describe('a mail', () => {
  it('goes once to the contact address, and leaves nothing behind', async () => {
    const sent: Mail[] = []
    const { runner, store, admin } = await owing({ send: async (mail) => void sent.push(mail) })
    await runner.tick()
    await runner.tick()
    const [mail] = sent
    assert.equal(sent.length, 1)
    assert.deepEqual(
      [mail?.to, mail?.subject, mail?.text],
      [admin.email, 'A notice', 'Something happened.'],
    )
    assert.match(mail?.idempotencyKey ?? '', /^mail_/)
    assert.equal(store.rows(owedMails).length, 0)
  })

  it('is tried again under the same key, with backoff, until the mailer takes it', async () => {
    const sent: Mail[] = []
    const fixture = await owing({
      send: async (mail) => {
        sent.push(mail)
        if (sent.length < 3) throw new Error(`550 no such user ${mail.to}`)
      },
    })
    const { runner, clock, observed, admin } = fixture
    await runner.tick()
    await runner.tick()
    assert.equal(sent.length, 1)
    clock.jump(1_000)
    await runner.tick()
    clock.jump(2_000)
    await runner.tick()
    assert.equal(sent.length, 3)
    assert.equal(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size, 1)
    assert.equal(observed.length, 2)
    assert.ok(!observed.join().includes(admin.email), 'the mailer names the address, the log not')
  })

  it('is tried again after a mailer that never answers', async () => {
    let tries = 0
    const { runner, clock, store } = await owing({
      send: () => {
        tries++
        return new Promise(() => {})
      },
    })
    const ticked = runner.tick()
    while (tries === 0) await undefined
    await clock.advance(30_000)
    await ticked
    assert.equal(tries, 1)
    assert.equal(store.rows(owedMails).length, 1)
  })

  it('is given up after 72 hours', async () => {
    const { runner, clock, store, observed } = await owing({
      send: () => Promise.reject(new Error('down')),
    })
    await runner.tick()
    clock.jump(72 * hour)
    await runner.tick()
    assert.equal(store.rows(owedMails).length, 0)
    assert.match(observed.at(-1) ?? '', /^mail\.given_up/)
  })

  it('is not owed where there is no mailer', async () => {
    const { store } = await owing(null)
    assert.equal(store.rows(owedMails).length, 0)
  })

  it('is sealed at rest', async () => {
    const { store } = await owing({ send: async () => {} })
    assert.ok(!JSON.stringify(store.rows(owedMails)).includes('Something'))
  })
})
