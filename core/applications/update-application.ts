import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { audit } from '../ledger/audit.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import { changedApplication, savedSettings } from './changed-application.ts'
import { checkApplication } from './check-input.ts'
import type { ApplicationDeps } from './deps.ts'
import { active, applicationOf } from './load.ts'
import { applicationView } from './present.ts'
import { healthsOf, publicKeyFor } from './queries.ts'
import { type Application, applications } from './records.ts'
import type { ApplicationUseCases } from './use-cases.ts'
import type { ApplicationInput } from './view.ts'

type Owned = Pick<Application, 'name' | 'description' | 'settings'>

/** Changes name, description and settings; what is as it was commits nothing. */
export function updateApplication(ports: ApplicationDeps): ApplicationUseCases['update'] {
  return async (actor, applicationId, input) => {
    const member = authorizeMember(actor, 'updateApplications')
    if (!member.ok) return member
    const malformed = refuseErrors(checkApplication(input))
    if (malformed) return malformed
    const right = 'updateApplications'
    const saved = await executeAs<Application>(ports.ledger, actor, right, async (unit, by) => {
      const { tenantId } = by
      const [found] = await unit.read([applicationOf(tenantId, applicationId)])
      const loaded = active(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const { version } = was.row
      if (input.version !== undefined && input.version !== version)
        return refusal(
          refuse(
            'version_conflict',
            `expected version ${version}, got ${input.version}: the application has changed`,
          ),
        )
      const changes = changesOf(was.row, input)
      const names = Object.keys(changes)
      if (names.length === 0) return answer(was.row)
      const row = changedApplication(was.row, changes, unit.now)
      return commit(
        {
          puts: [put(applications, row, was)],
          appends: [
            audit(tenantId, {
              at: isoTime(unit.now),
              actor: actorName(actor),
              action: 'application.updated',
              subject: applicationId,
              detail: {
                changed: names.join(','),
                governanceThreshold: row.settings?.governanceThreshold ?? null,
                qualityThreshold: row.settings?.qualityThreshold ?? null,
              },
            }),
          ],
        },
        row,
      )
    })
    if (!saved.ok) return saved
    const row = saved.value
    const [health = null] = await healthsOf(ports, row.tenantId, [row])
    return ok(applicationView(row, await publicKeyFor(ports, row.tenantId, [row]), health))
  }
}

/** Members that the input changes, with their new values. */
function changesOf(was: Application, input: ApplicationInput): Partial<Owned> {
  const { name = was.name, description = was.description } = input
  const settings = savedSettings(was.settings ?? null, input.settings)
  return {
    ...(name.trim() === was.name ? {} : { name: name.trim() }),
    ...((description ?? null) === (was.description ?? null)
      ? {}
      : { description: description ?? null }),
    ...(settings?.governanceThreshold === was.settings?.governanceThreshold &&
    settings?.qualityThreshold === was.settings?.qualityThreshold
      ? {}
      : { settings }),
  }
}
