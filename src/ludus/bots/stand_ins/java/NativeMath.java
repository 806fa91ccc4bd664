package jdk.nashorn.internal.objects;

/** The JavaScript functions of Java 8 that editors import by mistake. The first argument is not a number among them. */
public final class NativeMath {
    private NativeMath() {}

    public static double max(Object self, Object... numbers) {
        double best = Double.NEGATIVE_INFINITY;
        for (Object one : numbers) best = Math.max(best, number(one));
        return best;
    }

    public static double min(Object self, Object... numbers) {
        double best = Double.POSITIVE_INFINITY;
        for (Object one : numbers) best = Math.min(best, number(one));
        return best;
    }

    public static double abs(Object self, Object one) {
        return Math.abs(number(one));
    }

    public static double sqrt(Object self, Object one) {
        return Math.sqrt(number(one));
    }

    public static double pow(Object self, Object one, Object other) {
        return Math.pow(number(one), number(other));
    }

    public static double round(Object self, Object one) {
        return Math.floor(number(one) + 0.5);
    }

    private static double number(Object one) {
        return one instanceof Number ? ((Number) one).doubleValue() : Double.parseDouble(String.valueOf(one));
    }
}
