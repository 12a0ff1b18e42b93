import { nativePrimitives } from '@countersign/node/crypto'
import { createReceiver } from '@countersign/receiver-kit'
import { createTestSigner, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import { openSqliteInbox } from '@countersign/sqlite'

/** What this process tells: an event that it answered with 2xx, or whose handler ran. */
export type ReceiverWord =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'acknowledged'; readonly id: string }

const tell = (word: ReceiverWord) => process.send?.(word)

async function main(): Promise<void> {
  const [, , file = '', name = ''] = process.argv
  const signer = createTestSigner({ primitives: nativePrimitives })
  const receiver = createReceiver({
    keys: [signer.key],
    primitives: nativePrimitives,
    inbox: openSqliteInbox({ file }),
    onEvent: () => undefined,
  })

  async function play(player: number): Promise<never> {
    for (let round = 0; ; round++) {
      const id = `evt_${name}-${player}-${round}`
      const event = { ...sampleReviewEvent(), id, reviewCaseId: `rc_${name}-${player}` }
      const { headers, body } = signer.sign({ ...event, caseVersion: 1, eventSequence: round + 1 })
      const inbound = { method: 'POST', headers, body }
      const [first, copy] = await Promise.all([receiver.handle(inbound), receiver.handle(inbound)])
      if (first.status !== 204 || copy.status !== 204)
        throw new Error(`expected 204 and 204, got ${first.status} and ${copy.status}`)
      tell({ kind: 'acknowledged', id })
    }
  }

  receiver.start()
  tell({ kind: 'loaded' })
  await Promise.all(Array.from({ length: 8 }, (_, player) => play(player)))
}

main().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
