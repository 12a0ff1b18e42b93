import type { CaseView } from '@countersign/core'
import { answered } from '@countersign/core/testing'
import { type Cast, granted, openEmbedded, opening } from './embedded.ts'

/** What this process tells: an act that was acknowledged, or an event that its endpoint had in full. */
export type SenderWord =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'acknowledged'; readonly of: string; readonly sequence: number }
  | { readonly kind: 'received'; readonly id: string; readonly body: string }

const tell = (word: SenderWord) => process.send?.(word)

async function main(): Promise<void> {
  const [, , file = '', name = '', cast = '', way = ''] = process.argv
  const { admin, application } = JSON.parse(cast) as Cast
  const { service } = openEmbedded({
    file,
    writerThread: way === 'thread',
    transport: {
      post: async ({ headers, body }) => {
        tell({
          kind: 'received',
          id: headers['webhook-id'] ?? '',
          body: new TextDecoder().decode(body),
        })
        return answered(200)
      },
    },
  })
  const { reviewCases } = service

  async function act(
    done: Promise<Awaited<ReturnType<typeof reviewCases.open>>>,
  ): Promise<CaseView> {
    const seen = granted(await done)
    tell({ kind: 'acknowledged', of: seen.reviewCaseId, sequence: seen.eventSequence })
    return seen
  }

  async function play(player: number): Promise<never> {
    for (let round = 0; ; round++) {
      let seen = await act(reviewCases.open(application, opening(`${name}-${player}-${round}`)))
      const id = seen.reviewCaseId
      if (round % 4 === 3) {
        await act(
          reviewCases.cancel(application, {
            reviewCaseId: id,
            reasonCategory: 'end_user_cancelled',
          }),
        )
        continue
      }
      seen = await act(reviewCases.claim(admin, { reviewCaseId: id }))
      if (round % 4 === 2) continue
      await act(
        reviewCases.decide(admin, {
          reviewCaseId: id,
          caseVersion: seen.caseVersion,
          presentationDigest: seen.presentationDigest ?? '',
          decision: round % 4 === 0 ? 'approved' : 'rejected',
        }),
      )
    }
  }

  service.start()
  tell({ kind: 'loaded' })
  await Promise.all(Array.from({ length: 8 }, (_, player) => play(player)))
}

main().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
