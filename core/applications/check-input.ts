import { checkName, checkText } from '../ledger/check-text.ts'
import { wrong } from '../ledger/input-errors.ts'
import { highestScore, longest } from '../ledger/limits.ts'
import type { FieldError } from '../ledger/refusal.ts'
import { type ApplicationInput, applicationStages } from './view.ts'

/** Checks what callers give of an application; absent members are not looked at. Returns the errors. */
export function checkApplication(input: ApplicationInput): readonly FieldError[] {
  const { name, description, stage, settings } = input
  return [
    ...(name === undefined ? [] : checkName(name, '/name', longest.name)),
    ...checkText(description, '/description', longest.description),
    ...(stage === undefined || applicationStages.includes(stage)
      ? []
      : [wrong('/stage', `expected one of ${applicationStages.join(', ')}`)]),
    ...checkThreshold(settings?.governanceThreshold, '/settings/governanceThreshold'),
    ...checkThreshold(settings?.qualityThreshold, '/settings/qualityThreshold'),
  ]
}

function checkThreshold(value: number | null | undefined, pointer: string): readonly FieldError[] {
  if (value === null || value === undefined) return []
  const isScore = typeof value === 'number' && value >= 0 && value <= highestScore
  return isScore ? [] : [wrong(pointer, `expected a number from 0 to ${highestScore}`)]
}
