import { activeApplication, existingApplication } from '../applications/load.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { object } from '../kernel/members.ts'
import { command, reading } from '../kernel/operation.ts'
import { line, type Named, type OutsOf, type RowsOf, text, time } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { orNull } from '../kernel/wrap.ts'

const id = line(longest.id)
const guidelines = orNull(text(longest.guidelines))

/** An application's guidelines, which reviewers see beside each of its cases; no part of what they decide on. */
export const reviewerGuidelines = table({
  name: 'reviewerGuidelines',
  members: {
    tenantId: id,
    applicationId: id,
    guidelines,
    updatedAt: time,
    /** A member's id. */
    updatedBy: id,
  },
  key: ['tenantId', 'applicationId'],
  indexes: { byApplication: ['applicationId'] },
  sealed: ['guidelines'],
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'one per application' },
})

const shown = {
  /** Plain text; null where there is none. */
  guidelines,
  /** Null where none were ever set. */
  updatedAt: orNull(time),
  updatedBy: orNull(id),
}
/** The guidelines of an application's reviewers. */
export interface ReviewerGuidelines extends OutsOf<typeof shown> {}
const gives: Named<typeof shown, ReviewerGuidelines> = object(shown, 'ReviewerGuidelines')
const show = (row: RowsOf<typeof shown> | null | undefined) =>
  gives.show(row ?? { guidelines: null, updatedAt: null, updatedBy: null })

/** The guidelines of an application. */
export const readGuidelines = reading({
  name: 'reviewerGuidelines.read',
  doc: "Read the guidelines of an application's reviewers",
  right: 'readApplications',
  takes: { applicationId: id },
  gives,
  refuses: ['not_found'],
  async run({ ask, by: { tenantId } }, { applicationId }) {
    const { saved } = await ask({
      application: existingApplication(tenantId, applicationId),
      saved: reviewerGuidelines.get(tenantId, applicationId),
    })
    return show(saved?.row)
  },
})

/** Replaces the guidelines, or removes them by null. */
export const setGuidelines = command({
  name: 'reviewerGuidelines.set',
  doc: "Replace the guidelines of an application's reviewers",
  right: 'updateApplications',
  takes: { applicationId: id, guidelines },
  gives,
  refuses: ['not_found', 'application_gone'],
  async run(unit, { applicationId, guidelines }) {
    const { tenantId, memberId } = unit.by
    const { was } = await unit.ask({
      application: activeApplication(tenantId, applicationId),
      was: reviewerGuidelines.get(tenantId, applicationId),
    })
    if (was?.row.guidelines === guidelines) return show(was.row)
    const row = { tenantId, applicationId, guidelines, updatedAt: unit.now, updatedBy: memberId }
    unit.put(reviewerGuidelines, row, was)
    unit.audit('reviewer_guidelines.set', applicationId, { removed: guidelines === null })
    return show(row)
  },
})

/** Guidelines of reviewers (interface, Reviewer guidelines). */
export const guidelineOperations = [readGuidelines, setGuidelines] as const
