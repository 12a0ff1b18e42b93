import { sessionColumns } from '../auditor/session-columns.ts'
import { createReport } from './finding.ts'
import type { ListCheck } from './lists.ts'
import type { SharedRows } from './shared-rows.ts'

/** Checks the rows of an application's index of sessions, each a list of cells, and takes the seals that they name. */
export function checkSessionLines(applicationId: string, rows: SharedRows): ListCheck {
  const report = createReport('sessions')
  const seen = new Set<unknown>()
  let isHead = true

  return {
    findings: report.all,
    add(row) {
      const cells: readonly unknown[] = Array.isArray(row) ? row : []
      if (isHead) {
        isHead = false
        if (
          cells.length !== sessionColumns.length ||
          cells.some((cell, at) => cell !== sessionColumns[at])
        )
          report.failed('form', 'It has other columns.')
        return
      }
      const at = (column: (typeof sessionColumns)[number]) => cells[sessionColumns.indexOf(column)]
      if (cells.length !== sessionColumns.length || at('application_id') !== applicationId)
        return report.failed('form', 'It has a row that is none of its application.')
      if (seen.has(at('session_id'))) report.failed('form', 'It has a session twice.')
      seen.add(at('session_id'))
      const of = { applicationId, sessionId: at('session_id') }
      const seal = [at('batch_id'), at('leaf_hash'), at('leaf_index'), at('sealed_revision')]
      if (seal.every((cell) => cell === null)) return
      const [batchId, leafHash, ...numbers] = seal
      if (!numbers.every((cell) => typeof cell === 'string' && /^(?:0|[1-9]\d*)$/.test(cell)))
        return report.failed('form', 'It has a seal without a place.')
      const [leafIndex, revision] = numbers.map(Number)
      rows.indexed(of, { batchId, leafIndex, leafHash, revision })
    },
    end() {
      if (isHead) report.failed('form', 'It has no columns.')
    },
  }
}
