import type { AnyApplicationAnswer, ApplicationAnswer } from '@countersign/client'

/** Whether an application takes data, in words. */
export const lifecycles: Readonly<Record<AnyApplicationAnswer['lifecycleState'], string>> = {
  active: 'active',
  pending_deletion: 'to be removed; it takes no data',
  purging: 'being removed',
  purged: 'removed',
}

/** How well the traffic of an application goes. */
export const healths: Readonly<Record<NonNullable<ApplicationAnswer['health']>['status'], string>> =
  {
    healthy: 'healthy',
    degraded: 'degraded',
    unhealthy: 'unhealthy',
    unknown: 'not known',
  }

/** Stages in the order in which an application is promoted. */
export const stages = ['development', 'staging', 'production'] as const
