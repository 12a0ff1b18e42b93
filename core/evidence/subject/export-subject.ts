import type { SessionKey } from '../../content/records.ts'
import type { Actor, MemberActor } from '../../kernel/callers/actor.ts'
import { authorizeMember } from '../../kernel/callers/authorize.ts'
import { checkLine } from '../../kernel/ledger/check-text.ts'
import { refuseErrors } from '../../kernel/ledger/input-errors.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { readerOf } from '../../kernel/ledger/pages.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { commitAs } from '../../kernel/run.ts'
import type { PackageDeps } from '../deps.ts'
import type { PackageExports } from '../exports.ts'
import { fileNameOf } from '../file-name.ts'
import { noArchives, startPackage } from '../packages/start-package.ts'
import { notPrinted, printFile } from '../print/print-file.ts'
import { addToReport, emptyTally, reportOf } from './access-report.ts'
import { addCase, casesApart } from './naming-cases.ts'
import { partsOf } from './read-sessions.ts'
import { type SubjectData, subjectData } from './subject-data.ts'
import { subjectMembers } from './subject-members.ts'

/** How long a subject's package is kept. */
const keptMs = 24 * 60 * 60_000

/** Exports of what is held of a data subject. */
export function createSubjectExports(
  deps: PackageDeps,
): Pick<PackageExports, 'exportSubject' | 'subjectReport'> {
  const { kernel, ledger, clock, vault, archives, renderer } = deps

  async function begin(
    actor: Actor,
    given: string,
  ): Promise<Result<{ readonly member: MemberActor; readonly subject: SubjectData }>> {
    const allowed = authorizeMember(actor, 'exportSubjects')
    if (!allowed.ok) return allowed
    const malformed = refuseErrors(checkLine(given, '/dataSubjectId', longest.id))
    if (malformed) return malformed
    const member = allowed.value
    const { tenantId } = member
    const { subjectOf } = await vault.pseudonyms(tenantId)
    const { subjectId: dataSubjectId } = subjectOf(given)
    const subject = await subjectData(readerOf(ledger, tenantId), { tenantId, dataSubjectId })
    return subject
      ? ok({ member, subject })
      : refuse('not_found', 'nothing is stored of this data subject')
  }

  return {
    async exportSubject(actor, input) {
      const begun = await begin(actor, input.dataSubjectId)
      if (!begun.ok) return begun
      if (!archives) return noArchives()
      const { member, subject } = begun.value
      const { dataSubjectId, applicationIds, inaccessibleCount } = subject
      return ok(
        await startPackage(deps, archives, {
          member,
          right: 'exportSubjects',
          packType: 'subject',
          applicationIds,
          scope: { dataSubjectId, applicationIds, inaccessibleCount },
          keptMs,
          erasures: { dataSubjectId },
          members: (made) => subjectMembers(deps, subject, made),
        }),
      )
    },
    async subjectReport(actor, input, caller) {
      const begun = await begin(actor, input.dataSubjectId)
      if (!begun.ok) return begun
      if (!renderer) return notPrinted()
      const { member, subject } = begun.value
      const { dataSubjectId } = subject
      const report = emptyTally()
      for await (const part of partsOf(deps, subject)) {
        if (!part.whole.whole) return tooLarge(part.whole.session)
        addToReport(report, part)
      }
      for await (const review of casesApart(subject)) addCase(report, review)
      const document = reportOf(subject, report, clock.now())
      const fileName = `${fileNameOf(dataSubjectId)}-access-report.pdf`
      const printable = { kind: 'access-report', document } as const
      const file = await printFile(renderer, { fileName, make: async () => ok(printable) }, caller)
      if (!file.ok) return file
      if (!member.guest) {
        const { sessionCount } = report
        const by = { by: member, right: 'exportSubjects' } as const
        const recorded = await commitAs(kernel, by, async (unit) =>
          unit.audit('access_report.exported', dataSubjectId, { sessionCount }),
        )
        if (!recorded.ok) return recorded
      }
      return file
    },
  }
}

function tooLarge({ applicationId, sessionId }: SessionKey): Result<never> {
  return refuse(
    'evidence_too_large',
    `the session ${sessionId} of ${applicationId} holds more steps or marks than one report takes: ask for format zip, whose manifest says what it leaves out`,
  )
}
