import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { csvColumns } from '../csv.ts'
import type { PackageDeps } from '../deps.ts'
import { fileNameOf } from '../file-name.ts'
import type { PackMember } from '../pack.ts'
import type { Making } from '../packages/order.ts'
import { printedMember } from '../packages/own-failure.ts'
import { csvPieces, objectPieces } from '../packages/text-pieces.ts'
import { emptyTally, reportOf } from './access-report.ts'
import { erasuresOf, holdsOf } from './erasures-and-holds.ts'
import { portableCases } from './naming-cases.ts'
import { auditOf } from './processing-log.ts'
import {
  type OmittedSession,
  portableSessions,
  sessionEntries,
  tableRows,
} from './read-sessions.ts'
import type { SubjectData } from './subject-data.ts'

const json = 'application/json'
const utf8 = new TextEncoder()

/** The members of a subject's pack; the content of one session is in memory at a time. */
export async function* subjectMembers(
  deps: PackageDeps,
  subject: SubjectData,
  { now, packageId, tally }: Making,
): AsyncGenerator<PackMember, void, undefined> {
  const { tenant, dataSubjectId } = subject
  const { tenantId } = tenant
  const head = { generatedAt: isoTime(now), organizationName: tenant.name, tenantId, dataSubjectId }
  const reportTally = emptyTally()
  const omitted: OmittedSession[] = []
  yield {
    path: 'portable/sessions.json',
    mediaType: json,
    content: objectPieces(
      { portableVersion: '1.0', ...head },
      {
        sessions: portableSessions(deps, subject, {
          now,
          packageId,
          tally,
          report: reportTally,
          omitted,
        }),
        reviewCases: portableCases(deps, subject, reportTally),
      },
    ),
  }
  yield {
    path: 'portable/sessions.csv',
    mediaType: 'text/csv',
    content: csvPieces(csvColumns, tableRows(deps, subject)),
  }
  yield {
    path: 'processing-log.json',
    mediaType: json,
    content: objectPieces(
      { logVersion: '1.0', ...head },
      {
        entries: sessionEntries(deps, subject),
        audit: auditOf(subject.reader, { tenantId, dataSubjectId }),
      },
    ),
  }
  yield {
    path: 'erasures-and-holds.json',
    mediaType: json,
    content: objectPieces(head, {
      erasureRequests: erasuresOf(subject, deps.portalUrl),
      legalHolds: holdsOf(subject),
    }),
  }
  // Only now: the tally and `omitted` fill as the content of the members above is read.
  const document = reportOf(subject, reportTally, now)
  yield {
    path: 'access-report.json',
    mediaType: json,
    content: utf8.encode(JSON.stringify(document)),
  }
  const path = 'access-report.pdf'
  const where = { path, tenantId, packageId }
  yield await printedMember(deps, where, { kind: 'access-report', document })
  for (const { applicationId, sessionId, reason } of omitted)
    yield { path: `portable/${applicationId}/${fileNameOf(sessionId)}`, omitted: reason }
}
