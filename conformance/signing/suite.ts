import type { Primitives } from '@countersign/core/signing'
import type { RegisterTest } from '../register.ts'
import { inputTests } from './input-tests.ts'
import { keyTests } from './key-tests.ts'
import { legacyTests } from './legacy-tests.ts'
import { primitiveTests } from './primitive-tests.ts'
import { verifyTests } from './verify-tests.ts'

/**
 * Proves primitives, and the signing of the core on top of them in the runtime that runs this.
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * import { signingSuite } from '@countersign/conformance/signing'
 * import { portablePrimitives } from '@countersign/core/signing'
 *
 * signingSuite({ test, primitives: portablePrimitives })
 * ```
 */
export function signingSuite(options: {
  readonly test: RegisterTest
  readonly primitives: Primitives
  /** Runs of each property (default 50; one of Ed25519 in plain JavaScript takes some 3 ms). */
  readonly runs?: number
}): void {
  const { test, primitives, runs = 50 } = options
  for (const group of [primitiveTests, keyTests, verifyTests, inputTests, legacyTests])
    group((name, run) => test(`signing: ${name}`, {}, async () => run()), { primitives, runs })
}
