import { expect, expectEqual } from '../../assert.ts'
import { canonicalText } from '../../canonical.ts'
import { leafOf, rootByPath, sha256 } from '../../merkle.ts'
import { group } from '../check.ts'
import { signedBy } from '../evidence-keys.ts'
import { sendSpan, sessionPath, submit, wholeSession } from '../spans.ts'
import { pause, until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { acts, done, path } from './acts.ts'

/** The proof of a session once its anchor is recorded. */
export async function anchoredProof(world: World, sessionId: string): Promise<Body> {
  return until('the session to be anchored', async () => {
    const answer = await world.reviewer.get(sessionPath(world, sessionId, '/proof'))
    if (answer.status === 404) return undefined
    const proof = granted(answer)
    return (proof.anchor as Body).status === 'recorded' ? proof : undefined
  })
}

/** That a proof leads from its leaf to the root, and from there to the anchor. */
export function checkProof(proof: Body): void {
  const { leafHash, leafIndex, treeSize, inclusionPath, merkleRoot } = proof
  expectEqual(
    rootByPath(String(leafHash), Number(leafIndex), Number(treeSize), inclusionPath as string[]),
    merkleRoot,
    'the root that leaf and path lead to',
  )
  const { nonce, commitment } = proof.anchor as Body
  expectEqual(
    sha256(
      'countersign-anchor-v1',
      Buffer.from(String(merkleRoot), 'hex'),
      Buffer.from(String(nonce), 'hex'),
    ),
    commitment,
    'the commitment over root and nonce',
  )
}

export const sealChecks = group('seals', 'interface, Submission; Evidence document', [
  {
    name: 'proof',
    promise: 'a submitted session is proven from its own text to the root and its anchor',
    needs: ['customerKey'],
    run: async (world) => {
      const now = await world.clock.now()
      const sessions = [1, 2, 3].map(() => wholeSession(now))
      await submit(world, ...sessions)
      for (const [at, session] of sessions.entries()) {
        const proof = await anchoredProof(world, String(session.sessionId))
        expectEqual(
          [proof.leafIndex, proof.leafHash, proof.hashAlgorithm],
          [at, leafOf(canonicalText(session)), 'rfc9162-sha256'],
          'index, leaf and algorithm',
        )
        checkProof(proof)
      }
      const running = await sendSpan(world)
      const early = sessionPath(world, running.sessionId, '/proof')
      refused(await world.reviewer.get(early), 404, 'not_sealed')
    },
  },
  {
    name: 'sealed',
    promise:
      'a session of spans is sealed within 60 s of its completion, and anew after a late span',
    needs: ['customerKey', 'clock'],
    run: async (world) => {
      const { sessionId, path } = await sendSpan(world)
      await world.clock.advance(61_000)
      await until('the completion', async () =>
        granted(await world.reviewer.get(path)).status === 'completed' ? true : undefined,
      )
      await world.clock.advance(60_000)
      const first = await anchoredProof(world, sessionId)
      expectEqual(first.revision, 1, 'the revision')
      checkProof(first)
      await sendSpan(world, { sessionId, root: false })
      await world.clock.advance(60_000)
      const second = await until('the second seal', async () => {
        const proof = await anchoredProof(world, sessionId)
        return proof.revision === 2 ? proof : undefined
      })
      expect(second.leafHash !== first.leafHash, 'expected another leaf for another revision')
      checkProof(second)
    },
  },
  {
    name: 'case',
    promise:
      'what a reviewer decided is sealed within 60 s, for the application and its reviewers to prove',
    needs: ['clock'],
    run: async (world) => {
      const claimed = await done(acts.claim(world, await world.open(), 'reviewer'))
      const proof = path(claimed.reviewCaseId, 'proof')
      refused(await world.reviewer.get(proof), 404, 'not_sealed')
      const decided = await done(acts.decide(world, claimed, 'reviewer', 'approved'))
      // Sealed and anchored by work that follows other work, each found as the time goes on.
      for (let second = 0; second < 60; second += 10) {
        await world.clock.advance(10_000)
        await pause(100)
      }
      const sealed = await until('the case to be sealed', async () => {
        const answer = await world.application.get(proof)
        if (answer.status === 404) return undefined
        const found = granted(answer)
        return (found.anchor as Body).status === 'recorded' ? found : undefined
      })
      const record = sealed.leafInput as Body
      expectEqual(sealed.leafHash, leafOf(canonicalText(record)), 'the leaf of the record')
      const members = ['reviewCaseId', 'caseVersion', 'decision', 'presentationDigest', 'decidedBy']
      for (const member of members) expectEqual(record[member], decided[member], member)
      expectEqual(
        [record.leafType, record.decisionSignature],
        ['review-case', null],
        'leafType and decisionSignature',
      )
      checkProof(sealed)
      expectEqual(granted(await world.reviewer.get(proof)), sealed, 'the proof for a reviewer')
    },
  },
  {
    name: 'anchors',
    promise: 'anchors are one chain of signed entries, none of which shows a nonce',
    needs: ['customerKey'],
    run: async (world) => {
      for (let round = 0; round < 2; round++) {
        const session = wholeSession(await world.clock.now())
        await submit(world, session)
        await anchoredProof(world, String(session.sessionId))
      }
      const list = granted(await world.reviewer.get('/v1/anchors?pageSize=100'))
      const all = list.anchors as readonly Body[]
      expect(all.length >= 2, `expected two anchors or more, got ${all.length}`)
      for (const [at, anchor] of all.entries()) {
        // A stamp is of the entry, and so no part of it.
        const { entryHash, nonce, status, timeStamp: _, ...entry } = anchor
        expectEqual([nonce, status], [null, 'recorded'], 'nonce and status')
        expectEqual(sha256(canonicalText(entry)), entryHash, 'the hash of an entry')
        const older = all[at + 1]
        if (older)
          expectEqual(
            [entry.previousHash, entry.sequence],
            [older.entryHash, Number(older.sequence) + 1],
            'what an entry says of the one before',
          )
        const { signature, ...signed } = entry
        await signedBy(world, canonicalText(signed), String(entry.keyId), String(signature))
      }
    },
  },
])
