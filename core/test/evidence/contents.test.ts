import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkContents } from '@countersign/core/evidence'

/** What a subject's pack is found to be with these sessions in its report and in the file for another service. */
function failuresOf(report: object, portable: object): readonly string[] {
  const of = { tenantId: 'ten_1', dataSubjectId: 'sub_1' }
  const documents = new Map([
    ['access-report.json', { ...of, ...report }],
    ['portable/sessions.json', { ...of, ...portable }],
  ])
  const files = ['access-report.pdf', 'portable/sessions.csv', 'processing-log.json']
  const paths = new Set([...documents.keys(), ...files, 'erasures-and-holds.json'])
  const scope = { dataSubjectId: 'sub_1', applicationIds: ['app_1'] }
  const manifest = { packType: 'subject', tenantId: 'ten_1', scope }
  return checkContents({ manifest, paths, documents, lastEntry: null })
    .filter(({ result }) => result === 'failed')
    .map(({ check }) => check)
}

const session = (sessionId: unknown, steps: unknown) => ({ session: { sessionId }, steps })

describe('a pack of a data subject', () => {
  it('holds the sessions that its report counts', () => {
    const sessions = [{ sessionId: 'ses_1', stepCount: 2 }]
    const portable = { sessions: [session('ses_1', [{}, {}])] }
    assert.deepEqual(failuresOf({ sessionCount: 1, sessions }, portable), [])
    assert.deepEqual(failuresOf({ sessionCount: 2, sessions }, portable), ['manifest'])
    assert.deepEqual(failuresOf({ sessionCount: 1, sessions: [] }, portable), ['manifest'])
  })

  it('fails where sessions stand beside an item that is none', () => {
    const hidden = { sessions: [null, session('ses_1', [])] }
    assert.deepEqual(failuresOf({ sessions: [] }, hidden), ['manifest'])
    assert.deepEqual(failuresOf({ sessionCount: 0, sessions: [] }, hidden), ['manifest'])
    assert.deepEqual(failuresOf({ sessions: [null] }, { sessions: [] }), ['manifest'])
  })

  it('fails where steps are no list, counted or not', () => {
    for (const steps of [null, {}, 'three'])
      for (const stepCount of [null, 0, undefined]) {
        const sessions = [{ sessionId: 'ses_1', stepCount }]
        const report = { sessionCount: 1, sessions }
        const portable = { sessions: [session('ses_1', steps)] }
        assert.deepEqual(failuresOf(report, portable), ['manifest'])
      }
  })
})
