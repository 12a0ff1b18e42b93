import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'
import { inTurn, type Measure, rowOf } from '../figure.ts'

/** Pages of a PDF, whose page objects are never compressed. */
function pagesOf(pdf: Uint8Array): number {
  return Buffer.from(pdf).toString('latin1').split('/Type /Page\n').length - 1
}

export const documents: Measure = {
  figures: ['evidence.pdfMsPerPage'],
  run: async ({ scale }) => {
    const renderer = createPdfRenderer()
    const document = sampleEvidence({ steps: scale.quick ? 50 : 200 })
    await renderer.pdf({ kind: 'evidence', document })
    const rounds = await inTurn(scale.rounds, async () => {
      const [begun, before] = [performance.now(), process.cpuUsage()]
      const pages = pagesOf(await renderer.pdf({ kind: 'evidence', document }))
      const { user, system } = process.cpuUsage(before)
      const cpuMsPerPage = (user + system) / 1_000 / pages
      return { figure: (performance.now() - begun) / pages, cpuMsPerPage, pages }
    })
    await renderer.close()
    return [
      rowOf(
        {
          figure: 'evidence.pdfMsPerPage',
          target: { is: 'most', reach: 40, aim: 20 },
          how: `ms a page of a dossier of ${document.steps.length} steps with their content, on the printer's thread, the thread warm`,
        },
        rounds,
      ),
    ]
  },
}
