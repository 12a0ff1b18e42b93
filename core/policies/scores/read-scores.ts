import { existingApplication } from '../../applications/load.ts'
import type { Scorer } from '../../base/ports/scorer.ts'
import { object, showAll } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { ofApplication } from '../records.ts'
import { defaultScorer } from './default-scorer.ts'
import { applicationScores, shownScores } from './records.ts'

const { reading } = operationsWith<{ readonly scorer?: Scorer }>()

const none = { governance: null, components: {}, qualityMean: null, sessions: 0, computedAt: null }

/** The application's scores as they were last computed: after completions and hourly. */
export const readScores = reading({
  name: 'scores.read',
  doc: 'Read the scores of an application over 7 days',
  right: 'readPolicies',
  takes: ofApplication,
  gives: object(shownScores, 'Scores'),
  refuses: ['not_found'],
  async run({ ask, by: { tenantId }, tools: { scorer = defaultScorer } }, { applicationId }) {
    const { scores } = await ask({
      application: existingApplication(tenantId, applicationId),
      scores: applicationScores.get(tenantId, applicationId),
    })
    return showAll(shownScores, scores?.row ?? { scorer: scorer.name, ...none })
  },
})

/** Scores (interface, Portal host). */
export const scoreOperations = [readScores] as const
