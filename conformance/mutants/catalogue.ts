import { caseMutants } from './case-mutants.ts'
import { credentialMutants } from './credential-mutants.ts'
import { eventMutants } from './event-mutants.ts'
import type { Mutant } from './mutant.ts'
import { organizationMutants } from './organization-mutants.ts'
import { sendingMutants } from './sending-mutants.ts'
import { sessionMutants } from './session-mutants.ts'
import { substituted } from './substituted.ts'

export const mutants: readonly Mutant[] = [
  ...substituted,
  ...caseMutants,
  ...eventMutants,
  ...sendingMutants,
  ...sessionMutants,
  ...organizationMutants,
  ...credentialMutants,
]
