import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { nativePrimitives } from '@countersign/node/crypto'
import { createReceiver, type EventTurn } from '@countersign/receiver-kit'
import { createTestSigner, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { openSqliteInbox } from '@countersign/sqlite'
import { send } from './support.ts'

describe('the receiver on SQLite, with native cryptography', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-receiver-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const signer = createTestSigner({ primitives: nativePrimitives })

  function open(file: string, onEvent: (turn: EventTurn) => void | Promise<void>) {
    const inbox = openSqliteInbox({ file: join(folder, file) })
    const receiver = createReceiver({
      keys: [signer.key],
      primitives: nativePrimitives,
      inbox,
      onEvent,
      holdMs: 60_000,
    })
    return { inbox, receiver }
  }

  it('remembers what it acknowledged, and where each case stood, over a restart', async () => {
    const first = open('restart.db', () => {})
    const message = (sequence: number) =>
      signer.sign(
        sampleReviewEvent({
          id: `evt_${sequence}`,
          caseVersion: sequence,
          eventSequence: sequence,
        }),
      )
    assert.equal((await send(first.receiver, message(1))).status, 204)
    assert.deepEqual(await first.receiver.drain(), { handled: 1, failed: 0 })
    for (const sequence of [4, 2])
      assert.equal((await send(first.receiver, message(sequence))).status, 204)
    // Taken by a process that dies over it.
    const now = Date.now()
    await first.inbox.take({ topic: 'event', now, holdUntil: now, limit: 1 })
    await first.inbox.close()

    const turns: EventTurn[] = []
    const second = open('restart.db', (turn) => void turns.push(turn))
    assert.equal((await send(second.receiver, message(4))).status, 204)
    assert.deepEqual(await second.receiver.drain(), { handled: 2, failed: 0 })
    const at = (sequence: number) => ({
      reviewCaseId: 'rc_sample',
      caseVersion: sequence,
      eventSequence: sequence,
    })
    assert.deepEqual(
      turns
        .map(({ message: { id }, position, previousHead }) => ({ id, position, previousHead }))
        .sort((a, b) => a.id.localeCompare(b.id)),
      [
        { id: 'evt_2', position: 'history', previousHead: at(4) },
        { id: 'evt_4', position: 'head', previousHead: at(1) },
      ],
    )
    await second.inbox.close()
  })

  it('has one effect of fifty copies at once, and two processes share the work', async () => {
    const counts = new Map<string, number>()
    const note = ({ message: { id } }: EventTurn) => void counts.set(id, (counts.get(id) ?? 0) + 1)
    const [one, two] = [open('shared.db', note), open('shared.db', note)]
    const messages = Array.from({ length: 20 }, (_, at) =>
      signer.sign(sampleReviewEvent({ id: `evt_${at}`, reviewCaseId: `rc_${at}` })),
    )
    const answers = await Promise.all(
      messages.flatMap((message) => [
        send(one.receiver, message),
        send(two.receiver, message),
        send(one.receiver, message),
      ]),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
    const drained = await Promise.all([one.receiver.drain(), two.receiver.drain()])
    assert.equal(drained[0].handled + drained[1].handled, 20)
    assert.deepEqual([...counts.values()], Array(20).fill(1))
    await one.inbox.close()
    await two.inbox.close()
  })
})
