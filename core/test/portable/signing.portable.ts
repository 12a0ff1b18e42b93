import type { RegisterTest } from '@countersign/conformance'
import { signingSuite } from '@countersign/conformance/signing'
import { portablePrimitives } from '@countersign/core/signing'

export function portableTests(test: RegisterTest): void {
  signingSuite({ test, primitives: portablePrimitives, runs: 5 })
}
