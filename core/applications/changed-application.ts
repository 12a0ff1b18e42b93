import type { Application, ApplicationSettings } from './records.ts'
import type { ApplicationInput } from './view.ts'

/** The application with these changes, as its next version. `now`: ms. */
export function changedApplication(
  was: Application,
  changes: Partial<Omit<Application, 'tenantId' | 'applicationId' | 'version' | 'updatedAt'>>,
  now: number,
): Application {
  return { ...was, ...changes, version: was.version + 1, updatedAt: now }
}

/** The settings to store after a save: an absent member keeps its value, null removes it; null when none is left. */
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
