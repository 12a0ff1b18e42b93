import { startChild } from '../child.ts'
import type { Exported, Given } from '../children/export.ts'
import { type Measure, rowOf } from '../figure.ts'

/** Bulk exports of the most that one may hold. */
export const exporting: Measure = {
  figures: ['bulk.rssGrowthMb'],
  async run({ stage, scale }) {
    const given: Given = {
      directory: stage.directory('export'),
      applications: scale.quick ? 4 : 20,
      sessionsPerApplication: 50,
    }
    const child = await startChild<null>('export', given)
    const { growthMb: figure, ...detail } = await child.ask<Exported>(null)
    await child.stop()
    return [
      rowOf(
        {
          figure: 'bulk.rssGrowthMb',
          target: { is: 'most', reach: 64, aim: 32 },
          how: `the most that resident memory grows, MiB, while ${given.applications} applications of ${given.sessionsPerApplication} sessions are exported with their PDFs, printed in the same process, after an export of one`,
        },
        [{ figure, ...detail }],
      ),
    ]
  },
}
