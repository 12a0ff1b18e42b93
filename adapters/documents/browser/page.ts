// What runs in `countersign-verify.html`.
import { mountVerifier } from './index.ts'

const place = document.getElementById('verifier')
if (place) mountVerifier(place, { dropTarget: document })
