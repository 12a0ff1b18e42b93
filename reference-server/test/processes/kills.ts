import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { deliveries, messages, reviewCases } from '@countersign/core/internal'
import { list, many } from '@countersign/core/ledger'
import type { Collection, Store } from '@countersign/core/ports'
import { answered, seededRandom } from '@countersign/core/testing'
import { openSqliteInbox } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { type KeptEvent, staleCases, tally } from '../../demo/tally.ts'
import { openEmbedded, seedCast, systemClock } from './embedded.ts'
import { killAgainAndAgain } from './killing.ts'
import type { ReceiverWord } from './receiver-worker.ts'
import { scratchDirectory } from './scratch.ts'
import type { SenderWord } from './sender-worker.ts'

const seed = Number(process.env.FC_SEED ?? 1)

/** 1 to 60 ms, the same for the same seed. */
function moments(salt: number): () => number {
  const random = seededRandom(seed + salt)
  return () => {
    const [high = 0, low = 0] = random.bytes(2)
    return 1 + ((high * 256 + low) % 60)
  }
}

function quickCheck(file: string): unknown {
  const db = new Database(file, { readonly: true })
  try {
    return db.pragma('quick_check', { simple: true })
  } finally {
    db.close()
  }
}

async function all<R extends object>(store: Store, of: Collection<R>): Promise<readonly R[]> {
  const [found] = await store.read(null, [list(of, { where: [], take: 1_000_000 })])
  return many(of, found).map(({ row }) => row)
}

/** Defines the tests that kill a sender and a receiver so many times each. */
export function testKills(kills: number): void {
  describe('killed with SIGKILL at any moment of mixed load', { concurrency: true }, () => {
    const directory = scratchDirectory()
    /** A bound for the slowest machine; kills of processes that acknowledged nothing prove nothing. */
    const fewest = Math.max(1, kills / 10)

    it(`a sender loses nothing that it acknowledged, ${kills} times`, async () => {
      const file = join(directory, 'sender.db')
      const received = new Map<string, string>()
      const hold = (id: string, body: string) => {
        assert.equal(received.get(id) ?? body, body, `${id} came with another body`)
        received.set(id, body)
      }
      const post = async (exchange: {
        headers: Readonly<Record<string, string>>
        body: Uint8Array
      }) => {
        hold(exchange.headers['webhook-id'] ?? '', new TextDecoder().decode(exchange.body))
        return answered(200)
      }
      const seeded = openEmbedded({ file, transport: { post } })
      const cast = await seedCast(seeded.service, 1)
      await seeded.store.close()

      const acknowledged = new Map<string, number>()
      let acts = 0
      const after = moments(1)
      await killAgainAndAgain<SenderWord>({
        worker: new URL('./sender-worker.js', import.meta.url),
        count: kills,
        args: (kill) => {
          const way = kill % 4 < 2 ? 'here' : 'thread'
          return [file, String(kill), JSON.stringify(cast), way]
        },
        after,
        hear: (word) => {
          if (word.kind === 'received') hold(word.id, word.body)
          else if (word.kind === 'acknowledged') {
            acts++
            acknowledged.set(word.of, Math.max(word.sequence, acknowledged.get(word.of) ?? 0))
          }
        },
      })
      assert.ok(acts >= fewest, `only ${acts} acts were acknowledged`)
      assert.equal(quickCheck(file), 'ok')

      // The last one lives: two minutes on, every lease of the killed ones is over.
      const { service, store } = openEmbedded({
        file,
        transport: { post },
        clock: systemClock(120_000),
      })
      service.start()
      let owed = await all(store, deliveries)
      while (owed.some(({ due }) => due !== null)) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        owed = await all(store, deliveries)
      }
      await service.drain(1_000)
      const cases = await all(store, reviewCases)
      const kept = new Map(cases.map((row) => [row.reviewCaseId, row.eventSequence]))
      const lost = [...acknowledged].filter(([id, sequence]) => (kept.get(id) ?? 0) < sequence)
      assert.deepEqual(lost, [], 'acknowledged and not there')

      const bodies = new Map((await all(store, messages)).map((row) => [row.messageId, row.body]))
      const sent = owed.map(({ messageId, status }) => ({
        id: messageId,
        status,
        body: bodies.get(messageId) ?? new Uint8Array(),
      }))
      assert.equal(bodies.size, sent.length, 'a message and its delivery are written together')
      const inbox: KeptEvent[] = [...received].map(([id, body]) => ({
        id,
        body: new TextEncoder().encode(body),
        copies: 1,
      }))
      const result = tally({ cases: [], sent, kept: inbox, outcomesKept: [] })
      assert.deepEqual([result.lost, staleCases(sent, inbox)], [0, []])
      assert.ok(
        inbox.every(({ id }) => bodies.has(id)),
        'an event was sent of which nothing is known',
      )
      const terminal = sent
        .map(({ body }) => JSON.parse(new TextDecoder().decode(body)))
        .filter(({ type }) => /decided|cancelled|expired/.test(type))
        .map(({ reviewCaseId }) => reviewCaseId)
      assert.equal(new Set(terminal).size, terminal.length, 'a case ended twice')
      await store.close()
    })

    it(`a receiver loses nothing that it acknowledged, ${kills} times`, async () => {
      const file = join(directory, 'inbox.db')
      const acknowledged: string[] = []
      const after = moments(2)
      await killAgainAndAgain<ReceiverWord>({
        worker: new URL('./receiver-worker.js', import.meta.url),
        count: kills,
        args: (kill) => [file, String(kill)],
        after,
        hear: (word) => {
          if (word.kind === 'acknowledged') acknowledged.push(word.id)
        },
      })
      assert.ok(acknowledged.length >= fewest, `only ${acknowledged.length} were acknowledged`)
      assert.equal(quickCheck(file), 'ok')
      const inbox = openSqliteInbox({ file })
      const has = await inbox.has(acknowledged)
      assert.deepEqual(
        acknowledged.filter((_, at) => !has[at]),
        [],
        'acknowledged and not there',
      )
      await inbox.close()
    })
  })
}
