package javafx.util;

/** Two values, as the JavaFX had them that came with Java 8. */
public class Pair<K, V> implements java.io.Serializable {
    private final K key;
    private final V value;

    public Pair(K key, V value) {
        this.key = key;
        this.value = value;
    }

    public K getKey() {
        return key;
    }

    public V getValue() {
        return value;
    }

    @Override
    public String toString() {
        return key + "=" + value;
    }

    @Override
    public int hashCode() {
        return 31 * java.util.Objects.hashCode(key) + java.util.Objects.hashCode(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Pair
            && java.util.Objects.equals(key, ((Pair<?, ?>) other).key)
            && java.util.Objects.equals(value, ((Pair<?, ?>) other).value);
    }
}
