import type { Mutant } from './mutant.ts'
import { patched } from './patched.ts'
import { substituted } from './substituted.ts'

export const mutants: readonly Mutant[] = [...substituted, ...patched]
