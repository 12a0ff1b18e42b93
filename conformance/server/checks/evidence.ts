import { expect, expectEqual } from '../../assert.ts'
import { canonicalText } from '../../canonical.ts'
import { leafOf } from '../../merkle.ts'
import { group } from '../check.ts'
import { expectSigned } from '../evidence-keys.ts'
import type { HttpAnswer } from '../http.ts'
import { sendSpan, sessionPath, submit, wholeSession } from '../spans.ts'
import { type Body, granted, refused, type World } from '../world.ts'
import { anchoredProof, checkProof } from './seals.ts'

const bulk = '/v1/applications/evidence/bulk-export'
const packages = '/v1/evidence-packages'

/** That an answer is a file with a plain name. */
export function expectDownload({ headers, text }: HttpAnswer, type: string): void {
  expect(
    /^attachment; filename="[A-Za-z0-9._-]+"$/.test(String(headers['content-disposition'])),
    `expected a download with a plain name, got ${String(headers['content-disposition'])}`,
  )
  expect(
    String(headers['content-type']).startsWith(type),
    `expected ${type}, got ${String(headers['content-type'])}: ${text.slice(0, 80)}`,
  )
}

/** A submitted session, once its anchor is recorded. */
export async function submitted(world: World): Promise<Body> {
  const session = wholeSession(await world.clock.now())
  await submit(world, session)
  await anchoredProof(world, String(session.sessionId))
  return session
}

export const evidenceChecks = group('evidence', 'interface, Evidence document', [
  {
    name: 'document',
    promise:
      'a session’s evidence holds its content, its leaf and the path to its anchor, and is signed',
    needs: ['customerKey'],
    run: async (world) => {
      const session = await submitted(world)
      const answer = await world.admin.get(
        sessionPath(world, String(session.sessionId), '/evidence'),
      )
      const document = granted(answer)
      expectDownload(answer, 'application/json')
      await expectSigned(world, document)
      const { leafSource, leafInput, leafHash, merkle, anchor } = document.integrity as Body
      expectEqual([leafSource, leafInput], ['submitted', session], 'source and input of the leaf')
      expectEqual(leafHash, leafOf(canonicalText(session)), 'the leaf')
      checkProof({ ...(merkle as Body), leafHash, anchor })
      const [step] = document.steps as readonly Body[]
      const [sent] = session.steps as readonly Body[]
      const { input, nonces } = (step?.payload ?? {}) as { input?: unknown; nonces?: Body }
      expectEqual(input, sent?.input, 'content in the document')
      expect(/^[0-9a-f]{64}$/.test(String(nonces?.input)), 'expected the nonce of its digest')
      const running = await sendSpan(world, { input: 'so far' })
      const early = granted(
        await world.admin.get(sessionPath(world, running.sessionId, '/evidence')),
      )
      await expectSigned(world, early)
      expectEqual((early.integrity as Body).leafInputStatus, 'not_sealed', 'leafInputStatus')
    },
  },
  {
    name: 'csv',
    promise: 'the CSV has a session and its steps, without content, and no cell that is a formula',
    needs: ['customerKey'],
    run: async (world) => {
      const now = await world.clock.now()
      const sent = await sendSpan(world, { tool: '=cmd()', input: 'a secret text' })
      const answer = await world.admin.get(sessionPath(world, sent.sessionId, '/export/csv'))
      expectEqual(answer.status, 200, `the status at ${now}`)
      expectDownload(answer, 'text/csv')
      const [head = '', ...rows] = answer.text.trimEnd().split('\r\n')
      const columns = head.replaceAll('"', '')
      expect(
        columns.startsWith('row_type,application_id,session_id,step_id'),
        `got columns ${columns}`,
      )
      expectEqual(rows.length, 2, 'rows')
      expect(rows[1]?.includes(`,"'=cmd()"`) === true, `expected a defused formula, got ${rows[1]}`)
      expect(!answer.text.includes('secret'), 'expected no content in the CSV')
    },
  },
  {
    name: 'pack',
    promise: 'the evidence of a session is printed as PDF',
    needs: ['customerKey'],
    run: async (world) => {
      const { sessionId } = await sendSpan(world)
      const answer = await world.admin.get(sessionPath(world, sessionId, '/evidence-pack'))
      expectEqual(answer.status, 200, 'the status')
      expectDownload(answer, 'application/pdf')
      expectEqual(answer.bytes.subarray(0, 5).toString('latin1'), '%PDF-', 'the first bytes')
    },
  },
  {
    name: 'certificate',
    promise: 'a sealed session has a signed certificate, as JSON or PDF; an unsealed one has none',
    needs: ['customerKey'],
    run: async (world) => {
      const { sessionId } = await submitted(world)
      const path = sessionPath(world, String(sessionId), '/blockchain-certificate')
      const asked = (accept: string) =>
        world.admin.ask({ method: 'GET', path, headers: { accept } })
      const answer = await asked('application/json')
      const certificate = granted(answer)
      expectDownload(answer, 'application/json')
      await expectSigned(world, certificate)
      checkProof(certificate.proof as Body)
      expectEqual(certificate.certificateType, 'session-anchor', 'certificateType')
      const printed = await asked('application/pdf')
      expectDownload(printed, 'application/pdf')
      expectEqual(printed.bytes.subarray(0, 5).toString('latin1'), '%PDF-', 'the first bytes')
      const running = await sendSpan(world)
      const early = sessionPath(world, running.sessionId, '/blockchain-certificate')
      refused(await world.admin.get(early), 404, 'not_sealed')
    },
  },
  {
    name: 'rights',
    promise: 'nothing of evidence is for those who did not log in, and there is no export by job',
    needs: ['customerKey'],
    run: async (world) => {
      const { sessionId } = await sendSpan(world)
      for (const what of ['evidence', 'export/csv', 'evidence-pack', 'blockchain-certificate'])
        refused(await world.nobody.portal.get(sessionPath(world, sessionId, `/${what}`)), 401)
      refused(await world.nobody.portal.get(packages), 401)
      const all = { applicationIds: [world.target.applicationId] }
      refused(await world.nobody.portal.post(bulk, all), 401)
      refused(await world.admin.post('/v1/compliance/export', {}), 404, 'not_found')
    },
  },
])
