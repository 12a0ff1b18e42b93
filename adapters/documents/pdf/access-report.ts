import type { AccessReport } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { chapterWith, factsUnder, listUnder, tableUnder } from './keep.ts'
import type { Sheet } from './page.ts'
import { chapter, colors, facts, pageWidth, prose, timeOf } from './parts.ts'
import { textOf } from './text.ts'

/** The printed form of what a data subject is told. */
export function accessReport(report: AccessReport): Sheet {
  const { organizationName, controller, dataSubjectId, generatedAt } = report
  return {
    title: `Access report for ${dataSubjectId}`,
    subject: 'What data is held about a data subject',
    author: organizationName,
    date: generatedAt,
    head: `${organizationName} · ${dataSubjectId}`,
    content: [
      {
        canvas: [{ type: 'rect', x: 0, y: 0, w: 60, h: 5, color: colors.accent }],
        margin: [0, 20, 0, 14],
      },
      { text: 'Access report', style: 'title', outline: true, outlineText: 'Access report' },
      {
        text: 'The data that is held about you, why, and what you can ask for.',
        style: 'subtitle',
        margin: [0, 6, 0, 18],
      },
      facts([
        ['Organization', organizationName],
        ['Data subject (pseudonym)', dataSubjectId],
        ['Made', timeOf(generatedAt)],
      ]),
      factsUnder(chapter('Who is responsible'), [
        ['Controller', controller.name],
        ['Contact', controller.contactEmail],
        ['Country (ISO 3166-1)', controller.country],
      ]),
      ...listed('Purposes', report.purposes),
      ...listed('Categories of data', report.categories),
      ...listed('Recipients', report.recipients),
      factsUnder(chapter('Retention and source'), [
        ['Kept', report.retention],
        ['Source', report.source],
      ]),
      ...listed('Automated decisions', report.automatedDecisions),
      ...listed('Your rights', report.rights),
      ...(report.sessions.length === 0
        ? [chapterWith('Sessions', prose('No session of this data subject is held.'))]
        : [
            ...tableUnder(
              chapter('Sessions'),
              [
                { title: 'Application', width: 110 },
                { title: 'Session', width: 140 },
                { title: 'Started', width: 110 },
                { title: 'Steps', width: 36, align: 'right' },
                { title: 'Content', width: 70 },
              ],
              report.sessions.map((each) => [
                each.applicationName,
                each.sessionId,
                timeOf(each.startedAt),
                each.stepCount,
                each.payloadStatus.replaceAll('_', ' '),
              ]),
            ),
            ...(report.sessionCount > report.sessions.length
              ? [
                  prose(
                    `The first ${report.sessions.length} of ${report.sessionCount} sessions; the file portable/sessions.json beside this report has all of them.`,
                  ),
                ]
              : []),
          ]),
    ],
  }
}

function listed(title: string, items: readonly string[]): Content[] {
  const lines = items.map((item) => textOf(`• ${item}`, { width: pageWidth, margin: [0, 0, 0, 3] }))
  return listUnder(chapter(title), lines.length === 0 ? [prose('None.')] : lines)
}
