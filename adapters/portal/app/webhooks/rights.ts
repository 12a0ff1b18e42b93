import { isSandbox } from '../paths.ts'
import { isAdmin, may } from '../session.ts'

/** Whether the member sees what only integrators see. */
export const seesIntegrations = (): boolean => isAdmin.value || may('Manage Integrations')

/** Whether the member can send again what was sent; in the sandbox nobody can. */
export const sendsAgain = (): boolean => seesIntegrations() && !isSandbox
