const SQRT_TWO_PI = Math.sqrt(2 * Math.PI)
/** Beyond this many standard deviations the tail is too small for a double. */
const FAR = 37
/** Beyond this many standard deviations the fraction of the tail is the more exact one. */
const TAIL = 7.07106781186547

/** Returns the density of the normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / SQRT_TWO_PI
}

/**
 * Returns the cumulative normal distribution by Hart's rational approximation (after West, 2005). The error is at most
 * 1e-15.
 * @param density the density at `x`, if the caller knows it
 */
export function normalCdf(x: number, density = normalDensity(x)): number {
  const z = Math.abs(x)
  if (z > FAR) return x > 0 ? 1 : 0
  const tail = z < TAIL ? density * SQRT_TWO_PI * hartRatio(z) : density / tailFraction(z)
  return x > 0 ? 1 - tail : tail
}

function hartRatio(z: number): number {
  let top = 3.52624965998911e-2 * z + 0.700383064443688
  top = top * z + 6.37396220353165
  top = top * z + 33.912866078383
  top = top * z + 112.079291497871
  top = top * z + 221.213596169931
  top = top * z + 220.206867912376
  let bottom = 8.83883476483184e-2 * z + 1.75566716318264
  bottom = bottom * z + 16.064177579207
  bottom = bottom * z + 86.7807322029461
  bottom = bottom * z + 296.564248779674
  bottom = bottom * z + 637.333633378831
  bottom = bottom * z + 793.826512519948
  bottom = bottom * z + 440.413735824752
  return top / bottom
}

function tailFraction(z: number): number {
  return z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))
}
