import type { Application, ApplicationSettings } from './records.ts'
import type { ApplicationInput } from './view.ts'

/** The application after a change that its view shows. `now`: ms. */
export function changedApplication(
  was: Application,
  changes: Partial<Omit<Application, 'tenantId' | 'applicationId' | 'version' | 'updatedAt'>>,
  now: number,
): Application {
  return { ...was, ...changes, version: was.version + 1, updatedAt: now }
}

/** Settings after their owner saved them: absent members keep, null removes; null where nothing is left. */
export function savedSettings(
  was: ApplicationSettings | null,
  given: ApplicationInput['settings'],
): ApplicationSettings | null {
  if (given === undefined) return was
  if (given === null) return null
  const {
    governanceThreshold = was?.governanceThreshold,
    qualityThreshold = was?.qualityThreshold,
  } = given
  const settings = {
    governanceThreshold: governanceThreshold ?? null,
    qualityThreshold: qualityThreshold ?? null,
  }
  return Object.values(settings).every((value) => value === null) ? null : settings
}
